import type { CodexError } from './turn-end.ts'

/**
 * Notices that the model has been out of reach for too long. Codex itself would sit out whatever the provider asks it to
 * wait, an hour if need be, and the session would look as if it were at work.
 */
export function watchOutage(limitMs: number, onTooLong: (error: CodexError) => void) {
  let timer: NodeJS.Timeout | undefined
  let last: CodexError | undefined
  return {
    failed(error: CodexError): void {
      last = error
      timer ??= setTimeout(() => last && onTooLong(last), limitMs).unref()
    },
    /** The model has answered something, or it no longer matters. */
    over(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
