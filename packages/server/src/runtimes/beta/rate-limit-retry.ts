import { automatedMessage } from '../automated-message.ts'
import { asSentence, type CodexTurn, failed, isOverload } from './turn-end.ts'

/** Codex fails the turn on status 429, and soon on 529. The delays before the driver asks the thread to continue. */
export const defaultRetryDelaysMs: readonly number[] = [5_000, 20_000, 60_000]

export const continuePrompt = automatedMessage(
  'The provider was busy and rejected your last call. Continue with what the user asked.',
)

/** Whether waiting may help. A quota that is spent for the day does not return within a minute. */
export function isBusy({ error }: CodexTurn): boolean {
  const end = error ? failed(error) : undefined
  if (!error || end?.kind !== 'failed') return false
  if (end.reason === 'overloaded') return isOverload(error)
  const hasStatus = typeof error.codexErrorInfo !== 'string'
  return hasStatus && end.reason === 'rate_limit' && !/quota|billing|usage limit/i.test(textOf(error))
}

export function retryNotice(
  { error }: CodexTurn,
  { delayMs, attempt, of }: { delayMs: number; attempt: number; of: number },
): string {
  const why = error ? asSentence(error.message) : ''
  return `The provider is busy. ${why} Yardmaster asks Codex to continue in ${delayMs / 1000} s (${attempt} of ${of}).`
}

function textOf({ message, additionalDetails }: NonNullable<CodexTurn['error']>): string {
  return `${message} ${additionalDetails ?? ''}`
}
