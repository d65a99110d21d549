import { Readable } from 'node:stream'
import type { JsonObject } from '@yardmaster/contract/json'
import type { App } from '../../domain/app.ts'
import { readRequest } from '../../platform/http/endpoint-request.ts'
import type { ToolAnswer } from '../../platform/mcp/answer-message.ts'
import { refuse } from '../../platform/refusal.ts'
import { asMarkdown, type Detail } from './as-markdown.ts'
import { argumentsOf, type BoundCall } from './bound-call.ts'
import { asStartedBy, type Caller, refuseOutOfReach } from './caller.ts'
import { type BoundTool, isSessionArgument } from './offer.ts'

type Asked = { args: Readonly<Record<string, unknown>>; caller: Caller; signal: AbortSignal }

const cutting: Detail = { near: 1000, deep: 300, advice: 'ask with verbose to see the whole' }
const whole: Detail = { near: 100_000, deep: 100_000, advice: 'the REST API has the whole' }

/** Does what a tool was asked for, or refuses in the words of the endpoint that does it. */
export async function perform(app: App, tool: BoundTool, asked: Asked): Promise<ToolAnswer> {
  const { args, caller, signal } = asked
  const action = tool.choose ? tool.choose(args) : args.action
  const call = tool.calls.get(String(action))
  if (!call) return refuse('invalid_parameter', `Action must be one of: ${[...tool.calls.keys()].join(', ')}`)
  refuseUnknown(tool, args)
  const detail = args.verbose === true ? whole : cutting
  const given = withDefaultSession(call, args, caller)
  const answer = await ask(app, call, { args: given, caller, signal })
  const parts = [asMarkdown(selected(call, answer, args.verbose === true), detail)]
  for (const { heading, when, call: more } of call.also) {
    if (when !== undefined && args[when] !== true) continue
    const told = await ask(app, more, { args: given, caller, signal })
    parts.push(`## ${heading}\n${typeof told === 'string' ? told : asMarkdown(told, detail)}`)
  }
  return { text: parts.filter(Boolean).join('\n\n') || 'Done.', isError: false }
}

/** Better a word about a name that means nothing here than a wish that goes unheard. */
function refuseUnknown({ calls, choose }: BoundTool, args: Asked['args']): void {
  const known = new Set(
    [...calls.values()].flatMap((call) => [
      ...argumentsOf(call).map(({ argument }) => argument),
      ...call.also.flatMap(({ when }) => when ?? []),
    ]),
  )
  known.add(choose ? 'verbose' : 'action')
  const unknown = Object.keys(args).filter((name) => !known.has(name))
  if (unknown.length > 0)
    refuse('invalid_parameter', `There is no argument ${unknown.join(', ')}; there are: ${[...known].join(', ')}`)
}

function withDefaultSession(call: BoundCall, args: Asked['args'], { defaultSession }: Caller): Asked['args'] {
  const field = sessionFieldOf(call)
  if (!field || defaultSession === undefined || args[field.argument] !== undefined) return args
  return { ...args, [field.argument]: defaultSession }
}

function sessionFieldOf({ endpoint, fields }: BoundCall) {
  if (!endpoint.path.startsWith('/sessions/{')) return undefined
  const name = endpoint.path.startsWith('/sessions/{session_id}') ? 'session_id' : 'id'
  return fields.find((field) => field.place === 'params' && field.name === name && isSessionArgument(field.argument))
}

async function ask(app: App, call: BoundCall, { args, caller, signal }: Asked): Promise<unknown> {
  const { endpoint, fields, fixed = {} } = call
  const target = sessionFieldOf(call)
  if (target) await refuseOutOfReach(app, caller, args[target.argument])
  const sent = { params: {}, query: {}, body: {} } as Record<'params' | 'query' | 'body', Record<string, unknown>>
  for (const { argument, name, place } of fields) {
    const value = args[argument]
    if (value === undefined) continue
    // As they would stand in an address.
    sent[place][name] = place === 'body' ? value : String(value)
  }
  for (const [name, value] of Object.entries(fixed)) sent.query[name] = String(value)
  if (caller.ownSessionId !== undefined && endpoint.body) sent.body.acting_session_id = caller.ownSessionId
  const isStart = endpoint.path === '/sessions' && endpoint.method === 'POST'
  const body = (isStart ? asStartedBy(app, caller, sent.body) : sent.body) as JsonObject // it came as JSON
  const request = readRequest(endpoint, { ...sent, body, headers: {}, signal })
  const answer = await endpoint.handle(request, app)
  return answer.body instanceof Readable ? textOf(answer.body) : visibleTo(caller, endpoint.path, answer.body)
}

/** The catalog of a caller that is bound to roots is that of those roots. */
function visibleTo({ roots }: Caller, path: string, body: unknown): unknown {
  if (!roots || path !== '/configs') return body
  const configs = body as { agent_roots: readonly { name: string }[] } // what the endpoint declares
  return { ...configs, agent_roots: configs.agent_roots.filter(({ name }) => roots.includes(name)) }
}

function selected({ shows, brief }: BoundCall, answer: unknown, isVerbose: boolean): unknown {
  const shown = shows ? picked(answer, shows) : answer
  if (!brief || isVerbose || typeof shown !== 'object' || shown === null) return shown
  const rows = Object.entries(shown).map(([key, value]) =>
    Array.isArray(value)
      ? [key, value.map((row) => picked(row, brief))]
      : key === 'session'
        ? [key, picked(value, brief)]
        : [key, value],
  )
  return { ...Object.fromEntries(rows), left_out: 'Every other field; ask with verbose, or get_session.' }
}

function picked(value: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(Object(value), name)]))
}

/** The end is what is wanted of a conversation, if it cannot be all. */
async function textOf(stream: Readable): Promise<string> {
  let text = ''
  let length = 0
  for await (const chunk of stream.setEncoding('utf8')) {
    length += chunk.length
    text = (text + chunk).slice(-mostText)
  }
  const isCut = length > text.length
  return isCut ? `[cut: the last ${text.length} of ${length} characters; the REST API has the whole]\n${text}` : text
}

const mostText = 100_000
