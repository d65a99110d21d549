import type { CodexError } from './turn-end.ts'

/**
 * Detects that the model is unreachable for too long. Codex waits as long as the provider tells it to, an hour for instance, and
 * the session would look busy.
 */
export function watchOutage({ outageMs, pauseMs }: OutageLimits, onTooLong: (error: CodexError) => void) {
  let outage: NodeJS.Timeout | undefined
  let pause: NodeJS.Timeout | undefined
  let last: CodexError | undefined
  const giveUp = (): void => {
    if (last) onTooLong(last)
  }
  return {
    failed(error: CodexError): void {
      last = error
      outage ??= setTimeout(giveUp, outageMs).unref()
      clearTimeout(pause)
      pause = setTimeout(() => {
        last = { ...error, message: `The provider asks to wait for longer than ${pauseMs / 1000} s. ${error.message}` }
        giveUp()
      }, pauseMs).unref()
    },
    /** Call it when the model answers or the turn is over. */
    over(): void {
      clearTimeout(outage)
      clearTimeout(pause)
      outage = undefined
    },
  }
}

export type OutageLimits = {
  /** How long calls to the model may fail before the driver gives the turn up. */
  outageMs: number
  /** How long codex may be silent after a failed call. Its own pauses between retries take seconds. */
  pauseMs: number
}
