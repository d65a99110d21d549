import { Logger } from 'graphile-worker'
import type { Log } from '../log/log.ts'

/** The job library's own messages. Its everyday chatter is for whoever debugs; our handlers log what matters. */
export function graphileLog(log: Log, about: Record<string, string> = {}): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error(about, message)
    else if (level === 'warning') log.warn(about, message)
    else log.debug(about, message)
  })
}
