import type { RequestError } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import type { TurnEnd, TurnFailureReason } from '../runtime.ts'

type Trouble = { code: number; status: number | undefined; text: string }

/** An error instead of an answer: by the protocol's code, then by the HTTP status behind it, then by what it says. */
export function failureOf({ code, message, data }: RequestError): TurnEnd {
  const { status, said } = ErrorData.parse(data)
  const text = [message, ...said].filter((part, index, all) => part !== '' && all.indexOf(part) === index).join(': ')
  const trouble = { code, status: status ?? statusIn(text), text }
  const { reason, advice } = kinds.find(({ fits }) => fits(trouble)) ?? other
  return failed(reason, text.slice(0, maxDetailCharacters), advice)
}

/** A prompt that was answered. Silence is no answer: some agents end so when the model turned them away. */
export function judgeStop(stopReason: string, { isSilent }: { isSilent: boolean }): TurnEnd {
  switch (stopReason) {
    case 'end_turn':
      if (!isSilent) return { kind: 'completed' }
      return failed('agent_error', 'The agent ended its turn without a word.', silenceAdvice)
    case 'cancelled':
      return { kind: 'interrupted' }
    case 'max_tokens':
      return failed('too_long', 'The model reached its limit of tokens.', 'Ask it to go on, or in smaller steps.')
    case 'max_turn_requests':
      return failed('agent_error', 'The agent reached its limit of calls to the model.', 'Ask it to go on.')
    case 'refusal':
      return failed(
        'agent_error',
        'The model refuses to go on.',
        'Say it differently, or fork from an earlier message.',
      )
    default:
      return failed('agent_error', `The agent stopped for a reason unknown to the protocol: ${stopReason}.`, '')
  }
}

/** `exit` is undefined for one that only stopped talking. */
export function crash(exit: ExitStatus | undefined, complaint: string): TurnEnd {
  const how = !exit
    ? 'closed its output'
    : exit.signal
      ? `was killed by ${exit.signal}`
      : `exited with code ${exit.code}`
  return failed('crash', `The agent process ${how} before it finished the turn.`, complaint.trim())
}

const silenceAdvice = 'Often its model could not be reached or refused the request; look at its key and its model.'
const maxDetailCharacters = 2000

function failed(reason: TurnFailureReason, said: string, advice: string): TurnEnd {
  const sentence = /[.!?]$/.test(said) ? said : `${said}.`
  return { kind: 'failed', reason, detail: [sentence, advice].filter(Boolean).join(' ') }
}

const words = z.string().catch('')
const figure = z.int().min(400).max(599).optional().catch(undefined)

/** Beside code and message an error holds what its agent sees fit. These are the names we have met. */
const ErrorData = z
  .object({ status: figure, statusCode: figure, details: words, message: words, errorKind: words })
  .transform(({ status, statusCode, details, message, errorKind }) => ({
    status: status ?? statusCode,
    said: [details, message, errorKind],
  }))
  .catch(({ value }) => ({ status: undefined, said: typeof value === 'string' ? [value] : [] }))

function statusIn(text: string): number | undefined {
  const found = /(?:^|\bstatus(?: code)?:? |\bAPI Error:? |\bHTTP |: )([45]\d\d)\b/i.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

type Kind = { reason: TurnFailureReason; advice: string; fits(trouble: Trouble): boolean }

const authRequired = -32000

/** The order counts: a spent balance comes as 400, and a prompt that is too long does too. */
const kinds: readonly Kind[] = [
  {
    reason: 'auth',
    advice:
      'Give the agent a valid key: set one of the variables that its row in the runtimes file names, and restart.',
    fits: ({ code, status, text }) =>
      code === authRequired ||
      status === 401 ||
      status === 403 ||
      /authentication|unauthori[sz]ed|invalid api key|not logged in/i.test(text),
  },
  {
    reason: 'rate_limit',
    advice: 'Wait until the limit is lifted, or use another key or model, then restart the session.',
    fits: ({ status, text }) => status === 429 || /rate.?limit|quota|usage limit|billing|credit balance/i.test(text),
  },
  {
    reason: 'too_long',
    advice: 'Shorten the prompt, or go on in a fork from an earlier message.',
    fits: ({ status, text }) =>
      status === 413 || /(prompt|input|context).{0,40}too (long|large)|context.{0,10}length/i.test(text),
  },
  {
    reason: 'model',
    advice: 'Choose another model for the session.',
    fits: ({ text }) =>
      /model.{0,200}(not found|not exist|unknown|not available|not supported)|(unknown|invalid) model/i.test(text),
  },
  {
    reason: 'overloaded',
    advice: 'The provider cannot serve it now or cannot be reached from this host; restart the session later.',
    fits: ({ status, text }) =>
      (status !== undefined && status >= 500) ||
      /overloaded|unable to connect|connection (error|refused)|ECONNREFUSED|fetch failed|timed out/i.test(text),
  },
]

const other: Omit<Kind, 'fits'> = {
  reason: 'agent_error',
  advice: 'Restart the session, or look into its log.',
}
