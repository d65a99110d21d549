import { isOutage, isTurnedAway } from '../db/outage.ts'

export type RetryLevel = {
  /** At `debug` while the database is away, which is reported elsewhere, unless only an operator can end it. */
  of(error: unknown): 'error' | 'debug'
  reset(): void
}

/**
 * The log level for failures of work that is tried again every few seconds. A new error is logged at `error`, and the same
 * error again at its 2nd, 4th, 8th occurrence: a permanent fault must stay visible without filling the log.
 */
export function retryLevel(): RetryLevel {
  let count = 0
  let last: string | undefined
  return {
    of: (error) => {
      if (isOutage(error) && !isTurnedAway(error)) return 'debug'
      const message = String(error)
      count = message === last ? count + 1 : 1
      last = message
      return Number.isInteger(Math.log2(count)) ? 'error' : 'debug'
    },
    reset: () => {
      last = undefined
    },
  }
}
