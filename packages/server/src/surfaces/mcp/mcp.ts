import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../domain/app.ts'
import type { Tool } from '../../domain/tool.ts'
import { logFault } from '../../platform/http/answer-error.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import { Form } from '../../platform/http/form-body.ts'
import type { KeyCheck } from '../../platform/http/key-check.ts'
import { signalOf } from '../../platform/http/register.ts'
import type { ToolAnswer, ToolBox } from '../../platform/mcp/tool-box.ts'
import { once } from '../../platform/once.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { unavailable } from '../../platform/unavailable.ts'
import { version } from '../../platform/version.ts'
import { type BoundCall, bindCall } from './bound-call.ts'
import { type Caller, identify, isFixed, isOpenTo } from './caller.ts'
import { type BoundTool, offer } from './offer.ts'
import { perform } from './perform.ts'

const path = '/mcp'

type Parts = {
  endpoints: readonly Endpoint<App>[]
  tools: readonly Tool[]
  keys: KeyCheck
  /** The configured names of this server, from which a page in a browser may call. */
  hosts: readonly string[]
}

/**
 * Offers the API as tools over the Model Context Protocol: one message per request, no sessions. The caller is authenticated
 * before the body is read.
 */
export function registerMcp(server: FastifyInstance, app: App, { endpoints, tools, keys, hosts }: Parts): void {
  // Bound by the first request: a start does not need them.
  const boundTools = once(() => bindTools(tools, endpoints))
  const callers = new WeakMap<FastifyRequest, Caller>()
  server.route<{ Querystring: Record<string, unknown> }>({
    method: 'POST',
    url: path,
    // The hook below identifies the caller: by an API key, or by the key of an agent's turn.
    config: { auth: 'none', identifiesCaller: true },
    onRequest: async (request) => {
      refuseForeignOrigin(request, hosts)
      const from = { address: request.ip, requestId: request.id }
      const presented = { key: presentedKey(request), from, query: request.query }
      callers.set(request, await identify(app, keys, presented))
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? refuse('unauthorized', 'Invalid or missing API key')
      if (request.body instanceof Refusal) throw request.body
      if (request.body instanceof Form) refuse('unsupported_content_type', 'Send the message as application/json')
      // The SDK is loaded by the first request: it takes 0.3 s of CPU, and most starts never need it.
      const { answerRequest } = await import('../../platform/mcp/answer-request.ts')
      const response = await answerRequest(request.body, {
        tools: toolBox(app, { tools: boundTools(), caller, request, signal: signalOf(reply) }),
        protocolVersion: request.headers['mcp-protocol-version']?.toString(),
      })
      reply.code(response.status)
      return response.body ? reply.type('application/json; charset=utf-8').send(await response.text()) : reply.send()
    },
  })
  server.route({
    method: ['GET', 'DELETE'],
    url: path,
    config: { auth: 'none' },
    onRequest: async (request) => refuseForeignOrigin(request, hosts),
    handler: (_request, reply) => {
      reply.header('allow', 'POST')
      return refuse('method_not_allowed', 'Send a message with POST; there is no stream to open and no session to end')
    },
  })
}

/**
 * A browser names the page that sends a request. Only a page of this server may; programs send no Origin. The guard has
 * checked the Host header.
 */
function refuseForeignOrigin({ headers }: FastifyRequest, hosts: readonly string[]): void {
  const { origin, host = '' } = headers
  if (origin === undefined) return
  const from = URL.canParse(origin) ? new URL(origin) : undefined
  const names = from && /^https?:$/.test(from.protocol) ? [from.host, from.hostname] : []
  const isOwn = names[0] === host.toLowerCase() || hosts.some((name) => names.includes(name.toLowerCase()))
  if (!isOwn) refuse('foreign_origin', 'Requests of a page of another origin are not answered')
}

type BoundPart = Omit<Tool, 'calls'> & { calls: ReadonlyMap<string, BoundCall> }

function bindTools(tools: readonly Tool[], endpoints: readonly Endpoint<App>[]): BoundPart[] {
  const byAddress = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
  return tools.map((tool) => ({
    ...tool,
    calls: new Map(Object.entries(tool.calls).map(([action, call]) => [action, bindCall(call, byAddress)])),
  }))
}

function presentedKey({ headers }: FastifyRequest): string {
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : (/^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
}

type Offered = { tools: readonly BoundPart[]; caller: Caller; request: FastifyRequest; signal: AbortSignal }

function toolBox(app: App, { tools, caller, request, signal }: Offered): ToolBox {
  const open = toolsFor(tools, caller)
  return {
    about: { name: 'yardmaster', version, instructions: introduction(caller) },
    list: () => open.map((tool) => offer(tool, { knowsItsSession: caller.defaultSession !== undefined })),
    call: async (name, args) => {
      const tool = open.find((each) => each.name === name)
      return tool && answerOrError(app, request, () => perform(app, tool, { args, caller, signal }))
    },
  }
}

/** The parts that the caller's groups open, joined by tool name. Where two describe one tool, the larger group's applies. */
function toolsFor(parts: readonly BoundPart[], caller: Caller): BoundTool[] {
  const open = parts.filter(({ groups }) => groups.some((group) => caller.groups.includes(group)))
  return [...new Set(open.map(({ name }) => name))].flatMap((name) => {
    const same = open.filter((part) => part.name === name)
    const all = same.flatMap(({ calls }) => [...calls])
    const calls = new Map(
      all.filter(([, call]) => isOpenTo(caller, call)).map(([action, call]) => [action, withoutFixed(caller, call)]),
    )
    const { about = '', choose } = same.find((part) => part.about !== undefined) ?? {}
    // A tool that chooses its call from the arguments needs all of its calls.
    return calls.size === 0 || (choose && calls.size < all.length)
      ? []
      : { name, about, calls, ...(choose && { choose }) }
  })
}

function withoutFixed(caller: Caller, call: BoundCall): BoundCall {
  return {
    ...call,
    fields: call.fields.filter(({ argument }) => !isFixed(caller, call, argument)),
    also: call.also.filter((more) => isOpenTo(caller, more.call)),
  }
}

function introduction({ ownSessionId, roots }: Caller): string {
  if (ownSessionId === undefined)
    return 'Yardmaster runs sessions of coding agents; these tools look at them and steer them.'
  const own = `You work in session ${ownSessionId} of Yardmaster. These tools are about that session where you name no other.`
  return roots && roots.length > 0 ? `${own} You may start sessions on: ${roots.join(', ')}.` : own
}

/** The agent reads a refusal; a fault goes to the log. */
async function answerOrError(app: App, request: FastifyRequest, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await work()
  } catch (thrown) {
    const refusal = thrown instanceof Refusal ? thrown : unavailable(thrown)
    if (refusal) app.metrics.refusals.inc({ kind: refusal.kind })
    if (refusal) return { text: refusal.messages.join('\n'), isError: true }
    const error = thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`)
    logFault(app.log, error, request)
    const text = `Something went wrong on our side; the log has the details under request id ${request.id}.`
    return { text, isError: true }
  }
}
