import { constants } from 'node:os'

/** A reason the checkout cannot be made ready, in words for the person at the terminal. */
export class Unprepared extends Error {
  /** @override */
  name = 'Unprepared'
}

/** We were asked to stop while a child was at work; the child has ended. */
export class Interrupted extends Error {
  /** @override */
  name = 'Interrupted'

  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`Stopped by ${signal}.`)
    this.exitCode = exitCodeOf(signal)
  }
}

/**
 * What a shell reports for a process that a signal ended.
 *
 * @param {NodeJS.Signals} signal
 */
export function exitCodeOf(signal) {
  return 128 + constants.signals[signal]
}
