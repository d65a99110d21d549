import type { TurnEnd, TurnFailureReason } from '../runtime.ts'

type Trouble = { status: number | undefined; terminalReason: string; text: string }

/** What went wrong, in the vendor's own words, and what to do about it. By HTTP status first, then by what it says. */
export function failureOf(trouble: Trouble): TurnEnd {
  const kind = kinds.find(({ fits }) => fits(trouble)) ?? other
  return failed(kind.reason, trouble.text, kind.advice)
}

export function failed(reason: TurnFailureReason, said: string, advice: string): TurnEnd {
  const sentence = said.trim()
  return { kind: 'failed', reason, detail: [sentence && ended(sentence), advice].filter(Boolean).join(' ') }
}

export const signInAdvice =
  'Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN to a valid one, or log in with the CLI on this host, and restart the session.'

type Kind = { reason: TurnFailureReason; advice: string; fits(trouble: Trouble): boolean }

/** The order counts: a spent balance comes as 400, and a prompt that is too long does too. */
const kinds: readonly Kind[] = [
  {
    reason: 'no_session',
    advice: 'Its transcript is not where it was; restart the session to have it put back from what is stored.',
    fits: ({ text }) => /no conversation found|no message found/i.test(text),
  },
  {
    reason: 'auth',
    advice: signInAdvice,
    fits: ({ status, text }) =>
      status === 401 || status === 403 || /not logged in|invalid api key|please run \/login|oauth token/i.test(text),
  },
  {
    reason: 'rate_limit',
    advice: 'Wait until the limit is lifted, or use another key or model, then restart the session.',
    fits: ({ status, text }) => status === 429 || /credit balance|usage limit|limit reached|rate limit/i.test(text),
  },
  {
    reason: 'too_long',
    advice: 'Shorten the prompt, or go on in a fork from an earlier message.',
    fits: ({ status, terminalReason, text }) =>
      status === 413 || terminalReason === 'prompt_too_long' || /(prompt|input) is too long|too large/i.test(text),
  },
  {
    reason: 'model',
    advice: 'Choose another model for the session.',
    fits: ({ status, text }) => status === 404 || /issue with the selected model/i.test(text),
  },
  {
    reason: 'overloaded',
    advice: 'The provider cannot serve it now or cannot be reached from this host; restart the session later.',
    fits: ({ status, text }) =>
      (status !== undefined && status >= 500) ||
      /overloaded|unable to connect|connection (error|refused)|timed out/i.test(text),
  },
]

const other: Omit<Kind, 'fits'> = {
  reason: 'agent_error',
  advice: 'Restart the session, or look into its log.',
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
