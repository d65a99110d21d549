import { fieldsIn, fieldsOf, listOf, numberOf, parseFields, stringOf } from './fields.ts'

/** What the CLI says on standard output, as far as it concerns us. The conversation itself is read from its files. */
export type AlphaEvent =
  | { kind: 'begun'; missingServers: readonly string[] }
  | { kind: 'retry'; attempt: number; maxRetries: number; status: number | undefined; error: string }
  | { kind: 'limit'; status: string; resetsAt: Date | undefined }
  | { kind: 'asked'; requestId: string; subtype: string; from: string | undefined; message: string }
  | AlphaResult

/** The CLI's last word on a turn. Its `subtype` is left out: it says "success" of turns that failed. */
export type AlphaResult = {
  kind: 'result'
  isError: boolean
  status: number | undefined
  terminalReason: string
  /** What the agent said last, or what went wrong. */
  text: string
}

/** Undefined for what does not concern us, is of a kind we do not know, or is no JSON. */
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
    case 'result':
      return {
        kind: 'result',
        isError: event.is_error !== false,
        status: numberOf(event.api_error_status),
        terminalReason: stringOf(event.terminal_reason) ?? '',
        text: stringOf(event.result) ?? listOf(event.errors).filter(isText).join(' '),
      }
    default:
      return undefined
  }
}

function readSystemEvent(event: Record<string, unknown>): AlphaEvent | undefined {
  if (event.subtype === 'init') {
    const servers = fieldsIn(event.mcp_servers)
    const missing = servers.filter(({ status }) => status !== 'connected' && status !== 'disabled')
    return { kind: 'begun', missingServers: missing.map(({ name, status }) => `${name} (${status})`) }
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
  const resetsAtSeconds = numberOf(info.resetsAt)
  return {
    kind: 'limit',
    status: stringOf(info.status) ?? 'unknown',
    resetsAt: resetsAtSeconds === undefined ? undefined : new Date(resetsAtSeconds * 1000),
  }
}

function readQuestion(event: Record<string, unknown>): AlphaEvent | undefined {
  const request = fieldsOf(event.request)
  const requestId = stringOf(event.request_id)
  if (!request || requestId === undefined) return undefined
  return {
    kind: 'asked',
    requestId,
    subtype: stringOf(request.subtype) ?? 'unknown',
    from: stringOf(request.mcp_server_name) ?? stringOf(request.tool_name),
    message: stringOf(request.message) ?? '',
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** What we write to its standard input, a line each. */
export function promptLine(prompt: string): string {
  return line({ type: 'user', message: { role: 'user', content: prompt } })
}

export function interruptLine(): string {
  return line({ type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } })
}

/** Nobody is there to answer yet. A question that got no answer at all would hold the turn up for ever. */
export function declineLine({ requestId, subtype }: Extract<AlphaEvent, { kind: 'asked' }>): string {
  const answer = declines[subtype]
  const response = answer
    ? { subtype: 'success', request_id: requestId, response: answer }
    : { subtype: 'error', request_id: requestId, error: `Nobody here answers ${subtype}` }
  return line({ type: 'control_response', response })
}

const declines: Record<string, unknown> = {
  elicitation: { action: 'decline' },
  can_use_tool: { behavior: 'deny', message: 'Nobody is there to be asked. Decide by yourself, or go on without it.' },
}

function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
