import { asSentence, type CodexTurn, failed } from './turn-end.ts'

/** Codex fails the turn on status 429. The delays before the driver asks the thread to continue. */
export const defaultRetryDelaysMs: readonly number[] = [5_000, 20_000, 60_000]

export const continuePrompt =
  'The provider had too many requests and rejected your last call. Please continue with what you were asked.'

/** Whether waiting may help. A quota that is spent for the day does not return within a minute. */
export function isRateLimited({ error }: CodexTurn): boolean {
  if (!error || typeof error.codexErrorInfo === 'string') return false
  const end = failed(error)
  return end.kind === 'failed' && end.reason === 'rate_limit' && !/quota|billing|usage limit/i.test(textOf(error))
}

export function retryNotice(
  { error }: CodexTurn,
  { delayMs, attempt, of }: { delayMs: number; attempt: number; of: number },
): string {
  const why = error ? asSentence(error.message) : ''
  return `The provider has too many requests. ${why} Yardmaster asks Codex to continue in ${delayMs / 1000} s (${attempt} of ${of}).`
}

function textOf({ message, additionalDetails }: NonNullable<CodexTurn['error']>): string {
  return `${message} ${additionalDetails ?? ''}`
}
