import { Logger } from 'graphile-worker'
import type { Log } from '../log/log.ts'

/** Forwards graphile-worker's messages. Its info messages are frequent and go to debug. */
export function graphileLog(log: Log, about: Record<string, string> = {}): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error(about, message)
    else if (level === 'warning') log.warn(about, message)
    else log.debug(about, message)
  })
}
