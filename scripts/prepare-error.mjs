import { constants } from 'node:os'

/** The checkout cannot be prepared. The message is for the user at the terminal. */
export class PrepareError extends Error {
  /** @override */
  name = 'PrepareError'
}

/** A signal stopped us while a child was running. The child has exited. */
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
 * The exit code that a shell reports for a process that a signal ended.
 *
 * @param {NodeJS.Signals} signal
 */
export function exitCodeOf(signal) {
  return 128 + constants.signals[signal]
}
