import { resetTime } from '../accounts/reset-time.ts'
import { fieldsIn, fieldsOf, listOf, numberOf, parseFields, stringOf } from './fields.ts'

/** The events on the CLI's standard output that the driver uses. The conversation is read from the CLI's files. */
export type AlphaEvent =
  | { kind: 'started'; missingServers: readonly { name: string; status: unknown }[] }
  | { kind: 'retry'; attempt: number; maxRetries: number; status: number | undefined; error: string }
  | AlphaLimit
  | AlphaQuestion
  | { kind: 'question_withdrawn'; requestId: string }
  | AlphaResult

/** What the vendor's rate-limit headers said. `rejected`: the window is spent. */
export type AlphaLimit = { kind: 'limit'; status: string; window: string | undefined; resetsAt: Date | undefined }

/** The CLI asks, and the turn waits for the answer. */
export type AlphaQuestion = {
  kind: 'question'
  requestId: string
  subtype: string
  from: string | undefined
  message: string
  /** The whole request. */
  request: Record<string, unknown>
}

/** The CLI's result for a turn. Its `subtype` is not used: it says "success" for failed turns too. */
export type AlphaResult = {
  kind: 'result'
  isError: boolean
  status: number | undefined
  terminalReason: string
  /** The agent's last text, or the error. */
  text: string
  /** The conversation that the CLI is in now. */
  conversationId: string | undefined
}

/** Undefined for events that the driver does not use and for text that is not JSON. */
export function readEvent(line: string): AlphaEvent | undefined {
  const event = parseFields(line)
  if (!event) return undefined
  switch (event.type) {
    case 'system':
      return readSystemEvent(event)
    case 'rate_limit_event':
      return readLimit(fieldsOf(event.rate_limit_info) ?? {})
    case 'control_request':
      return readQuestion(event)
    case 'control_cancel_request':
      return { kind: 'question_withdrawn', requestId: stringOf(event.request_id) ?? '' }
    case 'result':
      return {
        kind: 'result',
        isError: event.is_error !== false,
        status: numberOf(event.api_error_status),
        terminalReason: stringOf(event.terminal_reason) ?? '',
        text: stringOf(event.result) ?? listOf(event.errors).filter(isText).join(' '),
        conversationId: stringOf(event.session_id),
      }
    default:
      return undefined
  }
}

function readSystemEvent(event: Record<string, unknown>): AlphaEvent | undefined {
  if (event.subtype === 'init') {
    const servers = fieldsIn(event.mcp_servers)
    const missing = servers.filter(({ status }) => status !== 'connected' && status !== 'disabled')
    return { kind: 'started', missingServers: missing.map(({ name, status }) => ({ name: `${name}`, status })) }
  }
  if (event.subtype !== 'api_retry') return undefined
  return {
    kind: 'retry',
    attempt: numberOf(event.attempt) ?? 1,
    maxRetries: numberOf(event.max_retries) ?? 0,
    status: numberOf(event.error_status),
    error: stringOf(event.error) ?? 'unknown',
  }
}

function readLimit(info: Record<string, unknown>): AlphaEvent {
  return {
    kind: 'limit',
    status: stringOf(info.status) ?? 'unknown',
    window: stringOf(info.rateLimitType),
    resetsAt: resetTime(numberOf(info.resetsAt)) ?? undefined,
  }
}

function readQuestion(event: Record<string, unknown>): AlphaEvent | undefined {
  const request = fieldsOf(event.request)
  const requestId = stringOf(event.request_id)
  if (!request || requestId === undefined) return undefined
  return {
    kind: 'question',
    requestId,
    subtype: stringOf(request.subtype) ?? 'unknown',
    from: stringOf(request.mcp_server_name) ?? stringOf(request.tool_name),
    message: stringOf(request.message) ?? '',
    request,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/**
 * The CLI takes a message whose last text begins with a slash for one of its commands, and the model never sees it. After an
 * empty text it is a message; the CLI drops the empty text, so the model gets exactly the prompt.
 */
export function promptLine({ prompt, isCommand = false }: { prompt: string; isCommand?: boolean }): string {
  const looksLikeCommand = prompt.startsWith('/') && !isCommand
  const content = looksLikeCommand ? [prompt, ''].map((text) => ({ type: 'text', text })) : prompt
  return line({ type: 'user', message: { role: 'user', content } })
}

export function interruptLine(): string {
  return line({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } })
}

export function answerLine(requestId: string, response: unknown): string {
  return line({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })
}

/** For a request of a kind that the driver does not know. */
export function rejectionLine({ requestId, subtype }: AlphaQuestion): string {
  const error = `Yardmaster does not answer ${subtype}`
  return line({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } })
}

function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
