import { z } from 'zod'
import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import type { AccountSignal } from '../accounts/vendor-accounts.ts'
import { quote } from '../quote.ts'
import type { TurnEnd, TurnFailureReason } from '../runtime.ts'
import { type CodexLimits, spentWindow } from './limits.ts'

/** Codex's report of a failed call or turn. */
export const CodexError = z.object({
  message: z.string(),
  /** An error code, or an object of one code and the HTTP status. */
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

/** What is known when codex has exited. */
export type TurnOutcome = {
  /** Codex's report of the turn's end; undefined if it died before. */
  turn: CodexTurn | undefined
  /** Whether the driver asked for an interrupt. */
  isInterrupted: boolean
  /** The error of an outage for which the driver gave the turn up. */
  outage: CodexError | undefined
  /** The last report of the vendor's limits. */
  limits?: CodexLimits | undefined
  exit: ExitStatus
  stderr: string
}

/** Codex's report decides. Without one codex crashed. */
export function decideTurnEnd({ turn, isInterrupted, outage, limits, exit, stderr }: TurnOutcome): TurnEnd {
  if (turn?.status === 'completed') return { kind: 'completed' }
  if (isInterrupted) return { kind: 'interrupted' }
  if (outage) return failed(outage, limits)
  if (turn?.status === 'interrupted') return { kind: 'interrupted' }
  if (turn)
    return failed(turn.error ?? { message: `Codex ended the turn as "${turn.status}" and gave no reason.` }, limits)
  return crashed(exit, stderr)
}

export function failed(error: CodexError, limits?: CodexLimits): TurnEnd {
  const sentence = vendorSentence(error)
  const reason = reasonOf(error, sentence)
  return { kind: 'failed', reason, detail: [sentence, advice[reason]].join(' '), ...signalOf(error, limits) }
}

/** By codex's error code and the HTTP status, never by the text. */
function signalOf({ codexErrorInfo: info }: CodexError, limits: CodexLimits | undefined): { signal?: AccountSignal } {
  if (info === 'usageLimitExceeded') return { signal: { kind: 'quota_spent', ...spentWindow(limits) } }
  const status = httpStatus(info)
  return info === 'unauthorized' || status === 401 || status === 403 ? { signal: { kind: 'login_rejected' } } : {}
}

/** Codex rejected a request before the turn started. */
export function rejected(message: string): TurnEnd {
  if (/no rollout found|invalid session id|does not start with session metadata/i.test(message)) {
    return { kind: 'failed', reason: 'no_session', detail: `${asSentence(message)} ${advice.no_session}` }
  }
  return failed({ message })
}

export function crashed({ code, signal }: ExitStatus, stderr: string): TurnEnd {
  const how = signal ? `was killed by ${signal}` : `exited with code ${code}`
  const output = relevantLines(stderr)
  if (/no rollout found for thread id/.test(output)) return rejected(output)
  const sentences = [`Codex ${how} before it finished the turn.`, ...(output ? [asSentence(output)] : []), advice.crash]
  return { kind: 'failed', reason: 'crash', detail: sentences.join(' ') }
}

/** What the operator can do. */
const advice: Record<TurnFailureReason, string> = {
  auth: 'Set OPENAI_API_KEY or CODEX_API_KEY to a valid key that may use this model, or RUNTIME_BETA_LOGIN to the login file of the CLI, start Yardmaster again and restart the session.',
  rate_limit: 'Wait until the limit is lifted or raise it with the provider, then restart the session.',
  model: 'Choose another model for this session; the provider does not offer this one to the account.',
  too_long: 'Ask for less at once, start a new session, or fork this one at an earlier message.',
  no_session: 'The conversation is no longer on this host; restart the session to write it again from what is stored.',
  overloaded: 'Check that this host can reach the provider, and restart the session later.',
  agent_error: 'If it happens again, look at the session logs and try another model.',
  crash: 'Restart the session; if it happens again, run the Codex program by hand on this host.',
}

const reasonByCode: Record<string, TurnFailureReason> = {
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

/** Tries the code, then the HTTP status, then the text, from most to least reliable. */
function reasonOf({ codexErrorInfo: info }: CodexError, sentence: string): TurnFailureReason {
  const code = typeof info === 'string' ? info : undefined
  return (
    (code !== undefined && Object.hasOwn(reasonByCode, code) ? reasonByCode[code] : undefined) ??
    reasonByStatus(httpStatus(info)) ??
    reasonByText.find(([pattern]) => pattern.test(sentence))?.[1] ??
    'agent_error'
  )
}

/** Whether the provider answered that it is overloaded. An address that cannot be reached is no overload. */
export function isOverload({ codexErrorInfo: info, message, additionalDetails }: CodexError): boolean {
  if (info === 'serverOverloaded') return true
  const status = httpStatus(info)
  return status === 529 || status === 503 || /\b(529|503)\b|overloaded/i.test(`${message} ${additionalDetails ?? ''}`)
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
    | undefined // safe: every value above is a reason
}

const reasonByText: readonly [RegExp, TurnFailureReason][] = [
  [/missing environment variable|not logged in|log ?in again|sign in|refresh token|\b40[13]\b|api key/i, 'auth'],
  [/context_length|context window|too long|maximum context|too large|max_output_tokens/i, 'too_long'],
  [/\b429\b|rate limit|usage limit|quota/i, 'rate_limit'],
  [/model .*(does not exist|not found|not supported)/i, 'model'],
  [
    /connection failed|stream disconnected|error sending request|timed? ?out|overloaded|high demand|\b5\d\d\b/i,
    'overloaded',
  ],
]

/** Some messages are the vendor's whole JSON answer. */
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

export function asSentence(text: string): string {
  const quoted = quote(text)
  return /[.!?]$/.test(quoted) ? quoted : `${quoted}.`
}

/** Standard error without colours and without a warning about codex's installation. */
function relevantLines(stderr: string): string {
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
