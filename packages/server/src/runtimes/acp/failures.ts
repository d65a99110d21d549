import type { RequestError } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import { quote } from '../quote.ts'
import type { TurnEnd, TurnFailureReason } from '../runtime.ts'

type ProtocolError = { code: number; status: number | undefined; text: string }

/** The end of a turn whose prompt got an error: decided by the protocol's code, the HTTP status, then the text. */
export function failureOf(
  { code, message, data }: RequestError,
  { keyNames }: { keyNames: readonly string[] },
): TurnEnd {
  const { status, details } = ErrorData.parse(data)
  const text = [message, ...details].filter((part, index, all) => part !== '' && all.indexOf(part) === index).join(': ')
  const error = { code, status: status ?? statusIn(text), text }
  const { reason, advice } = kinds.find(({ matches }) => matches(error)) ?? other
  const keyAdvice = reason === 'auth' ? adviceForKeys(keyNames) : advice
  return failed(reason, quote(text), keyAdvice)
}

/** The end of a turn whose prompt was answered. Some agents end a turn without output when the model rejected them. */
export function endOfStop(stopReason: string, { hasNoOutput }: { hasNoOutput: boolean }): TurnEnd {
  switch (stopReason) {
    case 'end_turn':
      if (!hasNoOutput) return { kind: 'completed' }
      return failed('agent_error', 'The agent ended its turn without any output.', noOutputAdvice)
    case 'cancelled':
      return { kind: 'interrupted' }
    case 'max_tokens':
      return failed('too_long', 'The model reached its token limit.', 'Ask it to continue, or in smaller steps.')
    case 'max_turn_requests':
      return failed('agent_error', 'The agent reached its limit of model calls.', 'Ask it to continue.')
    case 'refusal':
      return failed(
        'agent_error',
        'The model refuses to continue.',
        'Rephrase the prompt, or fork from an earlier message.',
      )
    default:
      return failed('agent_error', `The agent stopped for a reason unknown to the protocol: ${stopReason}.`, '')
  }
}

/** `exit` is undefined for an agent that closed its output and goes on. */
export function crash(exit: ExitStatus | undefined, stderr: string): TurnEnd {
  const how = !exit
    ? 'closed its output'
    : exit.signal
      ? `was killed by ${exit.signal}`
      : `exited with code ${exit.code}`
  return failed('crash', `The agent process ${how} before it finished the turn.`, stderr.trim())
}

function adviceForKeys(names: readonly string[]): string {
  const then = 'start Yardmaster again and restart the session.'
  if (names.length === 0)
    return `Name the variable of the key in "environment" of the agent's row in the runtimes file, ${then}`
  return `Set ${names.join(' or ')} to a valid key, ${then}`
}

const noOutputAdvice = 'Often the model could not be reached or rejected the request; check the key and the model.'

function failed(reason: TurnFailureReason, message: string, advice: string): TurnEnd {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return { kind: 'failed', reason, detail: [sentence, advice].filter(Boolean).join(' ') }
}

const text = z.string().catch('')
const statusCodes = z.int().min(400).max(599).optional().catch(undefined)

/** Agents add fields of their own to an error. These are the ones we have seen. */
const ErrorData = z
  .object({ status: statusCodes, statusCode: statusCodes, details: text, message: text, errorKind: text })
  .transform(({ status, statusCode, details, message, errorKind }) => ({
    status: status ?? statusCode,
    details: [details, message, errorKind],
  }))
  .catch(({ value }) => ({ status: undefined, details: typeof value === 'string' ? [value] : [] }))

function statusIn(text: string): number | undefined {
  const found = /(?:^|\bstatus(?: code)?:? |\bAPI Error:? |\bHTTP |: )([45]\d\d)\b/i.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

type Kind = { reason: TurnFailureReason; advice: string; matches(error: ProtocolError): boolean }

const authRequired = -32000

/** The first match wins. A spent balance and a prompt that is too long both come as status 400. */
const kinds: readonly Kind[] = [
  {
    reason: 'auth',
    advice: '',
    matches: ({ code, status, text }) =>
      code === authRequired ||
      status === 401 ||
      status === 403 ||
      /authentication|unauthori[sz]ed|invalid api key|not logged in/i.test(text),
  },
  {
    reason: 'rate_limit',
    advice: 'Wait until the limit is lifted, or use another key or model, then restart the session.',
    matches: ({ status, text }) => status === 429 || /rate.?limit|quota|usage limit|billing|credit balance/i.test(text),
  },
  {
    reason: 'too_long',
    advice: 'Shorten the prompt, or fork the session from an earlier message.',
    matches: ({ status, text }) =>
      status === 413 ||
      /(prompt|input|context).{0,40}too (long|large)|context.{0,10}length|output token maximum|max_output_tokens/i.test(
        text,
      ),
  },
  {
    reason: 'model',
    advice: 'Choose another model for the session.',
    matches: ({ text }) =>
      /model.{0,200}(not found|not exist|unknown|not available|not supported)|(unknown|invalid) model/i.test(text),
  },
  {
    reason: 'overloaded',
    advice: 'The provider is overloaded or cannot be reached from this host; restart the session later.',
    matches: ({ status, text }) =>
      (status !== undefined && status >= 500) ||
      /overloaded|unable to connect|connection (error|refused)|ECONNREFUSED|fetch failed|timed out/i.test(text),
  },
]

const other: Omit<Kind, 'matches'> = {
  reason: 'agent_error',
  advice: 'Restart the session, or read its log.',
}
