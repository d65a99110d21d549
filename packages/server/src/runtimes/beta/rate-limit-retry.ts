import { asSentence, type CodexTurn, failed } from './turn-end.ts'

/** Codex gives a turn up when the provider has too many requests. How long to wait before the thread is told to go on. */
export const defaultRetryDelaysMs: readonly number[] = [5_000, 20_000, 60_000]

export const goOn =
  'The provider had too many requests and turned your last call away. Please go on with what you were asked.'

/** Whether a while of waiting may help: a limit that is spent for the day does not come back in a minute. */
export function isTurnedAway({ error }: CodexTurn): boolean {
  if (!error || typeof error.codexErrorInfo === 'string') return false
  const end = failed(error)
  return end.kind === 'failed' && end.reason === 'rate_limit' && !/quota|billing|usage limit/i.test(wordsOf(error))
}

export function retryNotice(
  { error }: CodexTurn,
  { delayMs, attempt, of }: { delayMs: number; attempt: number; of: number },
): string {
  const why = error ? asSentence(error.message) : ''
  return `The provider has too many requests. ${why} Codex is told to go on in ${delayMs / 1000} s (${attempt} of ${of}).`
}

function wordsOf({ message, additionalDetails }: NonNullable<CodexTurn['error']>): string {
  return `${message} ${additionalDetails ?? ''}`
}
