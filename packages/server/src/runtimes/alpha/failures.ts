import type { TurnEnd, TurnFailureReason } from '../runtime.ts'

type ProviderError = { status: number | undefined; terminalReason: string; text: string }

/** The vendor's error text with advice. The HTTP status decides the reason, then the text. */
export function failureOf(error: ProviderError): FailedTurn {
  const kind = kinds.find(({ matches }) => matches(error)) ?? other
  return failed(kind.reason, error.text, kind.advice)
}

export type FailedTurn = Extract<TurnEnd, { kind: 'failed' }>

export function failed(reason: TurnFailureReason, message: string, advice: string): FailedTurn {
  const sentence = message.trim()
  return { kind: 'failed', reason, detail: [sentence && withFullStop(sentence), advice].filter(Boolean).join(' ') }
}

export const signInAdvice =
  'Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN to a valid one, or RUNTIME_ALPHA_LOGIN to the login file of the CLI, start Yardmaster again and restart the session.'

type Kind = { reason: TurnFailureReason; advice: string; matches(error: ProviderError): boolean }

/** The first match wins. A spent balance and a prompt that is too long both come as status 400. */
const kinds: readonly Kind[] = [
  {
    reason: 'no_session',
    advice: 'The transcript file is missing; restart the session to write it again from what is stored.',
    matches: ({ text }) => /no conversation found|no message found/i.test(text),
  },
  {
    reason: 'auth',
    advice: signInAdvice,
    matches: ({ status, text }) =>
      status === 401 || status === 403 || /not logged in|invalid api key|please run \/login|oauth token/i.test(text),
  },
  {
    reason: 'rate_limit',
    advice: 'Wait until the limit is lifted, or use another key or model, then restart the session.',
    matches: ({ status, text }) => status === 429 || /credit balance|usage limit|limit reached|rate limit/i.test(text),
  },
  {
    reason: 'too_long',
    advice: 'Shorten the prompt, ask for less at once, or fork the session from an earlier message.',
    matches: ({ status, terminalReason, text }) =>
      status === 413 ||
      terminalReason === 'prompt_too_long' ||
      /(prompt|input) is too long|too large|output token maximum|max_output_tokens/i.test(text),
  },
  {
    reason: 'model',
    advice: 'Choose another model for the session.',
    matches: ({ status, text }) => status === 404 || /issue with the selected model/i.test(text),
  },
  {
    reason: 'overloaded',
    advice: 'The provider is overloaded or cannot be reached from this host; restart the session later.',
    matches: ({ status, text }) =>
      (status !== undefined && status >= 500) ||
      /overloaded|unable to connect|connection (error|refused)|timed out/i.test(text),
  },
]

const other: Omit<Kind, 'matches'> = {
  reason: 'agent_error',
  advice: 'Restart the session, or read its log.',
}

function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
