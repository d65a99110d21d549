import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../../domain/app.ts'
import { isOutage } from '../../platform/db/outage.ts'
import { logFault } from '../../platform/http/answer-error.ts'
import type { Endpoint } from '../../platform/http/endpoint.ts'
import type { KeyCheck } from '../../platform/http/key-check.ts'
import { signalOf } from '../../platform/http/register.ts'
import type { ToolAnswer, ToolBox } from '../../platform/mcp/tool-box.ts'
import { once } from '../../platform/once.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { version } from '../../platform/version.ts'
import { type BoundCall, bindCall } from './bound-call.ts'
import { type Caller, identify, isFixed, isOpenTo } from './caller.ts'
import { type BoundTool, offer } from './offer.ts'
import { perform } from './perform.ts'
import { tools } from './tools.ts'

const path = '/mcp'

/**
 * Offers the API as tools over the Model Context Protocol: one message per request, no sessions. The caller is authenticated
 * before the body is read.
 */
export function registerMcp(
  server: FastifyInstance,
  app: App,
  { endpoints, keys }: { endpoints: readonly Endpoint<App>[]; keys: KeyCheck },
): void {
  // Bound by the first request: a start does not need them.
  const boundTools = once(() => bindTools(endpoints))
  const callers = new WeakMap<FastifyRequest, Caller>()
  server.route<{ Querystring: Record<string, unknown> }>({
    method: 'POST',
    url: path,
    // The hook below identifies the caller: by an API key, or by the key of an agent's turn.
    config: { auth: 'none' },
    onRequest: async (request) => {
      const presented = { key: presentedKey(request), address: request.ip, query: request.query }
      callers.set(request, await identify(app, keys, presented))
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? refuse('unauthorized', 'Invalid or missing API key')
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
    handler: (_request, reply) => {
      reply.header('allow', 'POST')
      return refuse('method_not_allowed', 'Send a message with POST; there is no stream to open and no session to end')
    },
  })
}

function bindTools(endpoints: readonly Endpoint<App>[]): BoundTool[] {
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

type Offered = { tools: readonly BoundTool[]; caller: Caller; request: FastifyRequest; signal: AbortSignal }

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

/** Where two tools share a name, the first one wins: it offers more. */
function toolsFor(tools: readonly BoundTool[], caller: Caller): BoundTool[] {
  const open = tools
    .filter(({ groups }) => groups.some((group) => caller.groups.includes(group)))
    .flatMap((tool) => {
      const calls = new Map(
        [...tool.calls]
          .filter(([, call]) => isOpenTo(caller, call))
          .map(([action, call]) => [action, withoutFixed(caller, call)]),
      )
      // A tool that chooses its call from the arguments needs all of its calls.
      return calls.size === 0 || (tool.choose && calls.size < tool.calls.size) ? [] : { ...tool, calls }
    })
  return open.filter((tool, index) => open.findIndex(({ name }) => name === tool.name) === index)
}

function withoutFixed(caller: Caller, call: BoundCall): BoundCall {
  return call.isStart ? { ...call, fields: call.fields.filter(({ argument }) => !isFixed(caller, argument)) } : call
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
    if (thrown instanceof Refusal) return { text: thrown.messages.join('\n'), isError: true }
    const error = thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`)
    if (isOutage(error)) return { text: 'The database cannot be reached right now; try again shortly.', isError: true }
    logFault(app.log, error, request)
    const text = `Something went wrong on our side; the log has the details under request id ${request.id}.`
    return { text, isError: true }
  }
}
