import { Readable } from 'node:stream'
import type { JsonObject } from '@yardmaster/contract/json'
import { refusals } from '@yardmaster/contract/problem'
import type { App } from '../../domain/app.ts'
import { readRequest } from '../../platform/http/endpoint-request.ts'
import { idIn } from '../../platform/http/register.ts'
import type { ToolAnswer } from '../../platform/mcp/tool-box.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { targetIn } from '../audit-writes.ts'
import { asMarkdown, type Detail, quoted } from './as-markdown.ts'
import type { BoundCall } from './bound-call.ts'
import { asStartedBy, type Caller, isPermission, reach, reachOther } from './caller.ts'
import { type Arguments, checkArguments } from './check-arguments.ts'
import { type BoundTool, ownArguments } from './offer.ts'
import { refuseForeignTrigger } from './trigger-access.ts'

type Asked = { args: Arguments; caller: Caller; signal: AbortSignal }

const cutting: Detail = { near: 1000, deep: 300, advice: 'ask with verbose to see the whole' }
const whole: Detail = { near: 100_000, deep: 100_000, advice: 'more than that is not shown' }

/** Runs one tool call. Refuses with the message of the endpoint behind it. */
export async function perform(app: App, tool: BoundTool, { args: given, ...asked }: Asked): Promise<ToolAnswer> {
  const call = tool.calls.get(String(tool.choose ? tool.choose(given) : given.action))
  if (!call) return refuse('invalid_parameter', `Action must be one of: ${[...tool.calls.keys()].join(', ')}`)
  refuseForbidden(given, asked.caller)
  const prepared = await prepare(app, call, { args: withOwnSession(call, given, asked.caller), ...asked })
  const { verbose, ...args } = checkArguments(call, prepared, ownArguments)
  const detail = (each: BoundCall): Detail =>
    verbose === true || each.isWhole ? whole : { ...cutting, ...(each.cut && { near: each.cut, deep: each.cut }) }
  const answer = await ask(app, call, { args, ...asked })
  const parts = [render(selected(call, answer, { isBrief: verbose !== true }), detail(call))]
  for (const { heading, when, call: more } of call.also) {
    if (when !== undefined && args[when] !== true) continue
    const part = await ask(app, more, { args, ...asked }).catch(refusalText)
    parts.push(`## ${heading}\n${render(part, detail(more))}`)
  }
  return { text: parts.join('\n\n'), isError: false }
}

/** A call that depends on what it changes reads that first, as far as the caller may see it. */
async function prepare(app: App, call: BoundCall, { args, ...asked }: Asked): Promise<Arguments> {
  const { prepare: rewrite, consulted } = call
  if (!rewrite) return args
  const { id } = args
  const isNamed = (id !== undefined && id !== null) || consulted?.fields.length === 0
  return rewrite(args, consulted && isNamed ? await ask(app, consulted, { args: { id }, ...asked }) : undefined)
}

/** Says what is missing, where the list of arguments would only say that there is no such argument. */
function refuseForbidden(given: Arguments, { permissions }: Caller): void {
  const forbidden = Object.keys(given).filter((name) => isPermission(name) && !permissions.includes(name))
  const problems = forbidden.map((name) => `${name} is not for agents, unless their root allows it (allow_agents)`)
  if (problems.length > 0) refuse('invalid_parameter', problems)
}

/** An additional part may be missing; the answer then shows the refusal in its place. */
function refusalText(thrown: unknown): string {
  if (thrown instanceof Refusal) return thrown.message
  throw thrown
}

function render(answer: unknown, detail: Detail): string {
  if (answer === undefined) return 'Done.'
  return typeof answer === 'string' ? quoted(answer) : asMarkdown(answer, detail)
}

function withOwnSession({ target }: BoundCall, args: Arguments, { defaultSession }: Caller): Arguments {
  if (!target || defaultSession === undefined || (args[target.argument] ?? null) !== null) return args
  return { ...args, [target.argument]: defaultSession }
}

async function ask(app: App, call: BoundCall, { args, caller, signal }: Asked): Promise<unknown> {
  const { endpoint, fields, target, fixed = {}, defaults = {}, reaches = [] } = call
  const sent: Record<'params' | 'query' | 'body', Record<string, unknown>> = {
    params: {},
    query: { ...defaults, ...fixed },
    body: {},
  }
  for (const field of fields) {
    const value = args[field.argument]
    if (value === undefined) continue
    if (field === target) sent[field.place][field.name] = await reach(app, caller, value)
    else if (reaches.includes(field.argument)) sent[field.place][field.name] = await reachOther(app, caller, value)
    // Path and query values are text.
    else sent[field.place][field.name] = field.place === 'body' ? value : String(value)
  }
  await refuseForeignTrigger(app, caller, call, sent)
  if (caller.ownSessionId !== undefined && endpoint.body) sent.body.acting_session_id = caller.ownSessionId
  const asked = call.isStart ? asStartedBy(app, caller, sent.body) : sent.body
  const body = (caller.ownSessionId === undefined ? asked : await redactFields(app, asked)) as JsonObject // it came as JSON
  const { ownSessionId: agentOf, roots } = caller
  const headers = { 'x-api-key': caller.key }
  const request = { ...sent, body, headers, signal, agentOf, roots, isTool: true }
  const answer = await audited(app, caller, call, sent.params, () =>
    endpoint.handle(readRequest(endpoint, request), app),
  )
  if (answer.body instanceof Readable) return endOf(answer.body)
  return visibleTo(caller, endpoint.path, answer.body)
}

/** Records a call that may change something, however it ends. */
async function audited<Answer extends { status: number; body: unknown }>(
  app: App,
  { label, ownSessionId, from }: Caller,
  { endpoint: { method, name, path } }: BoundCall,
  params: Readonly<Record<string, unknown>>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (method === 'GET') return work()
  const record = (status: number, createdId: string | number | null = null): void =>
    app.audit.record({
      actor_kind: ownSessionId === undefined ? 'key' : 'agent',
      actor: label ?? `session ${ownSessionId}`,
      key: label ?? null,
      session_id: ownSessionId ?? null,
      operation: name,
      target: targetIn(path, params, createdId) ?? null,
      surface: 'mcp',
      address: from.address ?? null,
      status,
      request_id: from.requestId,
    })
  try {
    const answer = await work()
    record(answer.status, answer.status === 201 ? idIn(answer.body) : null)
    return answer
  } catch (error) {
    record(error instanceof Refusal ? refusals[error.kind].status : 500)
    throw error
  }
}

/**
 * What an agent writes through its tools is redacted before it is stored or sent on, as what it prints is: notes, titles,
 * goals, prompts of its children, messages to its parent. A person's API key says what it means.
 */
async function redactFields(app: App, body: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const redact = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return app.redactor.text(value)
    if (typeof value !== 'object' || value === null) return value
    const written = JSON.stringify(value)
    const [redacted = written] = await app.redactor.lines([written])
    return redacted === written ? value : JSON.parse(redacted)
  }
  const fields = Object.entries(body).map(async ([name, value]) => [name, await redact(value)] as const)
  return Object.fromEntries(await Promise.all(fields))
}

/** A caller limited to roots sees only those roots in the catalog. */
function visibleTo({ roots }: Caller, path: string, body: unknown): unknown {
  if (!roots || path !== '/configs') return body
  const configs = body as { agent_roots: readonly { name: string }[] } // what the endpoint declares
  return { ...configs, agent_roots: configs.agent_roots.filter(({ name }) => roots.includes(name)) }
}

/** `shows` applies even with `verbose`: `message_parent` hides the parent session by it. */
function selected({ shows, brief }: BoundCall, answer: unknown, { isBrief }: { isBrief: boolean }): unknown {
  const shown = shows ? picked(answer, shows) : answer
  if (!brief || !isBrief) return shown
  const rows = Object.entries(Object(shown)).map(([key, value]) => {
    if (Array.isArray(value)) return [key, value.map((row) => picked(row, brief))]
    return [key, key === 'session' ? picked(value, brief) : value]
  })
  return { ...Object.fromEntries(rows), left_out: 'Every other field; ask with verbose, or get_session.' }
}

function picked(value: unknown, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(Object(value), name)]))
}

const maxTextLength = 100_000

/** Keeps the end of a long conversation: the latest entries matter most. */
async function endOf(stream: Readable): Promise<string> {
  let text = ''
  let length = 0
  for await (const chunk of stream.setEncoding('utf8')) {
    length += chunk.length
    text = (text + chunk).slice(-maxTextLength)
  }
  return length > text.length ? `[cut: the last ${text.length} of ${length} characters]\n${text.toWellFormed()}` : text
}
