import { Problem } from '@yardmaster/client/client'

/** The messages of its queue would be lost with the archive of a session: it asks for more than a click. */
export function isQueuedRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.error === 'Queued messages would be discarded'
}
