import type { CodexError } from './turn-end.ts'

/**
 * Detects that the model is unreachable for too long. Codex waits as long as the provider tells it to, an hour for instance, and
 * the session would look busy.
 */
export function watchOutage(limitMs: number, onTooLong: (error: CodexError) => void) {
  let timer: NodeJS.Timeout | undefined
  let last: CodexError | undefined
  return {
    failed(error: CodexError): void {
      last = error
      timer ??= setTimeout(() => last && onTooLong(last), limitMs).unref()
    },
    /** Call it when the model answers or the turn is over. */
    over(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
