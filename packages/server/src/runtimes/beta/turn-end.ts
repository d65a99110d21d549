import { z } from 'zod'
import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import type { TurnEnd, TurnFailureReason } from '../runtime.ts'

/** Why a call to the model or a whole turn failed, as codex tells it. */
export const CodexError = z.object({
  message: z.string(),
  /** A word, or a word with the HTTP status that was met. */
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: z.string().nullish(),
})
export type CodexError = z.infer<typeof CodexError>

export const CodexTurn = z.object({
  id: z.string(),
  status: z.string(),
  error: CodexError.nullish(),
})
export type CodexTurn = z.infer<typeof CodexTurn>

/** What there is to judge by when the agent is gone. */
export type Ending = {
  /** How codex says the turn ended; undefined if it did not live to say it. */
  turn: CodexTurn | undefined
  /** Whether we asked for an interruption. */
  isInterrupted: boolean
  /** What kept it from its model until we gave it up. */
  outage: CodexError | undefined
  exit: ExitStatus
  stderr: string
}

/** Codex's own word on the turn decides; without one it died, and how is all there is to say. */
export function judgeEnd({ turn, isInterrupted, outage, exit, stderr }: Ending): TurnEnd {
  if (turn?.status === 'completed') return { kind: 'completed' }
  if (isInterrupted) return { kind: 'interrupted' }
  if (outage) return failed(outage)
  if (turn?.status === 'interrupted') return { kind: 'interrupted' }
  if (turn) return failed(turn.error ?? { message: `Codex ended the turn as "${turn.status}" and did not say why.` })
  return crashed(exit, stderr)
}

export function failed(error: CodexError): TurnEnd {
  const sentence = vendorSentence(error)
  const reason = reasonOf(error, sentence)
  return { kind: 'failed', reason, detail: [sentence, advice[reason]].join(' ') }
}

/** Refused before there was a turn. */
export function refused(message: string): TurnEnd {
  if (/no rollout found|invalid session id|does not start with session metadata/i.test(message)) {
    return { kind: 'failed', reason: 'no_session', detail: `${asSentence(message)} ${advice.no_session}` }
  }
  return failed({ message })
}

export function crashed({ code, signal }: ExitStatus, stderr: string): TurnEnd {
  const how = signal ? `was killed by ${signal}` : `exited with code ${code}`
  const said = worthSaying(stderr)
  if (/no rollout found for thread id/.test(said)) return refused(said)
  const sentences = [`Codex ${how} before it finished the turn.`, ...(said ? [asSentence(said)] : []), advice.crash]
  return { kind: 'failed', reason: 'crash', detail: sentences.join(' ') }
}

/** What the operator can do about it. */
const advice: Record<TurnFailureReason, string> = {
  auth: 'Check the API key or the login that Yardmaster gives to Codex, and that it may use this model.',
  rate_limit: 'Wait until the limit is lifted or raise it with the provider, then restart the session.',
  model: 'Choose another model for this session; the provider does not offer this one to the account.',
  too_long: 'Start a new session, or fork this one at an earlier message.',
  no_session:
    'The conversation is no longer on this host; restart the session to have it put back from what is stored.',
  overloaded: 'Check that the provider can be reached from this host, and restart the session in a while.',
  agent_error: 'If it happens again, look at the session logs and try another model.',
  crash: 'Restart the session; if it happens again, run the Codex program by hand on this host.',
}

const reasonByWord: Record<string, TurnFailureReason> = {
  unauthorized: 'auth',
  usageLimitExceeded: 'rate_limit',
  rateLimitExceeded: 'rate_limit',
  sessionBudgetExceeded: 'rate_limit',
  modelNotFound: 'model',
  contextWindowExceeded: 'too_long',
  serverOverloaded: 'overloaded',
  internalServerError: 'overloaded',
  flexUnavailable: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
}

/** First the word, then the HTTP status, then what the sentence says: the farther down, the less it is to be trusted. */
function reasonOf({ codexErrorInfo: info }: CodexError, sentence: string): TurnFailureReason {
  const word = typeof info === 'string' ? info : undefined
  return (
    (word !== undefined && Object.hasOwn(reasonByWord, word) ? reasonByWord[word] : undefined) ??
    reasonByStatus(httpStatus(info)) ??
    reasonBySentence.find(([pattern]) => pattern.test(sentence))?.[1] ??
    'agent_error'
  )
}

const StatusInfo = z.record(z.string(), z.object({ httpStatusCode: z.number().nullable() }))

function httpStatus(info: unknown): number | undefined {
  const { data } = StatusInfo.safeParse(info)
  return Object.values(data ?? {})[0]?.httpStatusCode ?? undefined
}

function reasonByStatus(status: number | undefined): TurnFailureReason | undefined {
  if (status === undefined) return undefined
  if (status >= 500) return 'overloaded'
  return { 401: 'auth', 403: 'auth', 404: 'model', 413: 'too_long', 429: 'rate_limit' }[status] as
    | TurnFailureReason
    | undefined // the literals above are reasons; an index signature forgets it
}

const reasonBySentence: readonly [RegExp, TurnFailureReason][] = [
  [/missing environment variable|not logged in|log ?in again|sign in|refresh token|\b40[13]\b|api key/i, 'auth'],
  [/context_length|context window|too long|maximum context|too large/i, 'too_long'],
  [/\b429\b|rate limit|usage limit|quota/i, 'rate_limit'],
  [/model .*(does not exist|not found|not supported)/i, 'model'],
  [
    /connection failed|stream disconnected|error sending request|timed? ?out|overloaded|high demand|\b5\d\d\b/i,
    'overloaded',
  ],
]

/** Some come as the vendor's whole answer. */
function vendorSentence({ message, additionalDetails }: CodexError): string {
  const parts = [unwrapped(message), ...(additionalDetails ? [unwrapped(additionalDetails)] : [])]
  return parts.map(asSentence).join(' ')
}

const VendorAnswer = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) })

function unwrapped(text: string): string {
  try {
    const { error } = VendorAnswer.parse(JSON.parse(text))
    return error.code && !error.message.includes(error.code) ? `${error.message} (${error.code})` : error.message
  } catch {
    return text
  }
}

/** A person reads it: a page of HTML from a proxy is no sentence. */
const maxSentence = 1000

export function asSentence(text: string): string {
  const trimmed = text.trim().slice(0, maxSentence)
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}

/** Its own remarks on where it lives, and colours, are nobody's concern. */
function worthSaying(stderr: string): string {
  return (
    stderr
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
      .replace(/\u001b\[[\d;]*m/g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.includes('could not create PATH aliases'))
      .slice(-20)
      .join('\n')
      .trim()
  )
}
