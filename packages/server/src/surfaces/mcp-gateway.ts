import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../domain/app.ts'
import { findReachable, type Reachable, sendAuthorized } from '../domain/connectors/connector.ts'
import { gatewayPath } from '../domain/workspaces/workspace.ts'
import { asEventStream, signalOf } from '../platform/http/register.ts'
import { refuse, refuseMissing } from '../platform/refusal.ts'
import { RemoteFailed } from '../platform/remote-failed.ts'

type Route = { Params: { server: string }; Querystring: Record<string, unknown> }

/**
 * Passes the messages of agents on to remote MCP servers, with the token of the server: so that no token is on disk or in an agent.
 * Bodies are streamed both ways. The caller proves by the key of its turn which session it works in.
 */
export function registerMcpGateway(server: FastifyInstance, app: App): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const reachables = new WeakMap<FastifyRequest, Reachable>()
    for (const url of [`${gatewayPath}/:server`, `${gatewayPath}/:server/messages`])
      scope.route<Route>({
        method: ['GET', 'POST', 'DELETE'],
        url,
        config: { auth: 'none', identifiesCaller: true },
        onRequest: async (request) => {
          const key = request.headers['x-api-key']
          reachables.set(request, await findReachable(app, typeof key === 'string' ? key : '', request.params.server))
        },
        handler: (request, reply) =>
          passOn(app, { request, reply, reachable: reachables.get(request) ?? refuseMissing() }),
      })
  })
}

type Exchange = { request: FastifyRequest<Route>; reply: FastifyReply; reachable: Reachable }

async function passOn(app: App, { request, reply, reachable }: Exchange): Promise<FastifyReply> {
  const name = request.params.server
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined
  const answer = await sendAuthorized(app, reachable, {
    method: request.method,
    url: targetOf(request, reachable),
    headers: {
      ...passedOn(request.headers),
      // Its stream is read for the address of messages.
      ...(reachable.server.kind === 'sse' && { 'accept-encoding': 'identity' }),
      ...reachable.headers,
      ...(body && { 'content-length': String(body.length) }),
    },
    body,
    signal: signalOf(reply),
  }).catch((error: unknown) => {
    if (error instanceof Error && 'syscall' in error)
      return refuse('unavailable', `The MCP server ${name} cannot be reached: ${Reflect.get(error, 'code')}`)
    if (error instanceof RemoteFailed)
      return refuse('unavailable', `The MCP server ${name} is not reached: ${error.message} (OAUTH_ALLOWED_ORIGINS)`)
    throw error
  })
  request.server.endBody(request)
  return sendBack(reply, answer, reachable)
}

/**
 * Messages of the older transport go to an address that the server named to this session. An agent that could choose it would have
 * the token's rights at every address of the origin.
 */
function targetOf({ routeOptions, query }: FastifyRequest<Route>, reachable: Reachable): string {
  if (!routeOptions.url?.endsWith('/messages')) return reachable.url
  const { to, proof } = query
  if (reachable.server.kind !== 'sse' || typeof to !== 'string' || typeof proof !== 'string') return refuseMissing()
  const expected = proofOf(reachable, to)
  const isNamed = proof.length === expected.length && timingSafeEqual(Buffer.from(proof), Buffer.from(expected))
  return isNamed ? new URL(to, reachable.url).href : refuseMissing()
}

/** An agent ends with the process that serves it, so the key need not outlive that. */
const proofKey = randomBytes(32)

function proofOf({ sessionId, server, url }: Reachable, to: string): string {
  return createHmac('sha256', proofKey)
    .update(JSON.stringify([sessionId, server.name, url, to]))
    .digest('hex')
}

/** What is between the agent and us, or ours to set. */
const notPassedOn = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'content-length',
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'cookie',
  'origin',
  'referer',
])

/** What is between the server and us. Its challenge is ours to answer: the agent cannot sign in. */
const notSentBack = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'set-cookie',
  'www-authenticate',
  'location',
])

function passedOn(headers: FastifyRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      notPassedOn.has(name) || value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  )
}

function sendBack(reply: FastifyReply, answer: IncomingMessage, reachable: Reachable): FastifyReply {
  const { statusCode = 502, headers } = answer
  if (statusCode >= 300 && statusCode < 400) {
    answer.resume()
    return refuse('unavailable', `The MCP server ${reachable.server.name} redirects, which is not followed`)
  }
  for (const [name, value] of Object.entries(headers))
    if (!notSentBack.has(name) && value !== undefined) reply.header(name, value)
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
  if (!isStream) return reply.code(statusCode).send(answer)
  return reply.code(statusCode).send(asEventStream(rewritten(answer, reachable)))
}

/** A stream that the server cuts off ends for the agent too. */
function rewritten(answer: IncomingMessage, reachable: Reachable): Readable {
  if (reachable.server.kind !== 'sse') return answer
  return pipeline(answer, endpointRewriter(reachable), () => undefined)
}

/**
 * The older transport names an address for messages, relative to the server, in an event of the kind `endpoint`: it becomes one of
 * ours. Everything before that event (comments, a `retry`) and after it is passed on as it is.
 */
function endpointRewriter(reachable: Reachable): Transform {
  // As latin1, where every byte is a character: a chunk may end within a character of UTF-8.
  let rest = ''
  let isDone = false
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isDone) return done(null, chunk)
      rest += chunk.toString('latin1')
      let passed = ''
      for (let end = eventEnd.exec(rest); end && !isDone; end = eventEnd.exec(rest)) {
        const event = rest.slice(0, end.index + end[0].length)
        rest = rest.slice(event.length)
        isDone = /^event: ?endpoint\r?$/m.test(event)
        passed += isDone ? withOurAddress(event, reachable) : event
      }
      isDone ||= rest.length > maxEventCharacters
      if (isDone) passed += rest
      done(null, Buffer.from(passed, 'latin1'))
    },
    flush: (done) => done(null, Buffer.from(isDone ? '' : rest, 'latin1')),
  })
}

const eventEnd = /\r?\n\r?\n/

/** More than any address. What is longer is no event that names one. */
const maxEventCharacters = 8192

/** An address of another origin is left out: the token is not for it. */
function withOurAddress(event: string, reachable: Reachable): string {
  const { server, url } = reachable
  return event.replace(/^(data: ?)(\S*)/m, (_line, field: string, address: string) => {
    const isOwn = URL.canParse(address, url) && new URL(address, url).origin === new URL(url).origin
    const query = new URLSearchParams({ to: address, proof: proofOf(reachable, address) })
    return isOwn ? `${field}${gatewayPath}/${encodeURIComponent(server.name)}/messages?${query}` : field
  })
}
