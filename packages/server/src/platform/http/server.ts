import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { limits } from '@yardmaster/contract/limits'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Log } from '../log/log.ts'
import { type Metrics, openMetrics } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import { noTracing, type Tracing } from '../tracing/tracing.ts'
import { answerError, logFault } from './answer-error.ts'
import { compressAnswers } from './compression.ts'
import { cutOff } from './cut-off.ts'
import { readForm } from './form-body.ts'
import { type Checkers, type Fallback, guardOf } from './guard.ts'
import { readJsonBody } from './json-body.ts'
import { largeBytes, takeLargeBodiesInTurn } from './large-bodies.ts'
import { withoutPrivatePath } from './private-path.ts'
import { isEventStream } from './register.ts'
import { inRequest, openRequestContexts, requestIdOf } from './request-context.ts'
import { traceRequests } from './trace-requests.ts'
import { BodyRefusal } from './validation.ts'

export type HttpServerOptions = {
  log: Log
  /** Default: counted, and shown to no one. */
  metrics?: Pick<Metrics, 'requestSeconds' | 'refusals'>
  tracing?: Tracing
  checkers: Checkers
  /** Host names that requests may use besides the loopback ones. */
  hosts: readonly string[]
  /** Addresses of proxies that forward requests and name the client's address. */
  trustedProxies?: readonly string[]
  timeouts?: HttpTimeouts
  /** What answers where there is no route. Without it, or if it does not accept a request, the answer is 404. */
  fallback?: Fallback
}

export type HttpTimeouts = {
  headersMs: number
  requestMs: number
  keepAliveMs: number
  checkEveryMs: number
  /** How long the caller may take nothing of an answer that is a stream. */
  stalledMs: number
  /** The slowest line for which a large answer is kept in memory, after `stalledMs`. */
  slowestBytesPerSecond: number
  /** How long a closing server waits for running requests. */
  drainMs: number
}

/** A slow client is disconnected within 15 s: each limit plus one checking interval. */
export const defaultTimeouts: HttpTimeouts = {
  headersMs: 8000,
  requestMs: 13_000,
  keepAliveMs: 10_000,
  checkEveryMs: 1000,
  stalledMs: 60_000,
  slowestBytesPerSecond: 64 * 1024,
  drainMs: 3000, // turns and the database still have to close before the service manager's deadline
}

/** Long enough for any slug or id in a path; anything longer matches no route. */
const maxParamLength = 300

export function openHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, checkers, hosts, trustedProxies = [], timeouts = defaultTimeouts, fallback } = options
  const { metrics = openMetrics(), tracing = noTracing } = options
  const desk = { log, metrics }
  const guard = guardOf({ checkers, hosts, fallback })
  // Connections whose request was answered before it had arrived completely: they get no second answer.
  const answeredEarly = new WeakSet<Socket>()
  const server = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      requireHostHeader: false, // the guard refuses a missing one, with our error shape
    },
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: requestIdOf,
    rewriteUrl: ({ url }) => withoutPrivatePath(url),
    routerOptions: { maxParamLength },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // a request on an open connection is still served; the framework's 503 has another shape
    clientErrorHandler: (error, socket) =>
      answeredEarly.has(socket) ? socket.destroy() : cutOff(error, socket, metrics),
    // An address that cannot be parsed must pass the guard as well.
    frameworkErrors: async (error, request, reply) => {
      const refusal = await guard.check(request, reply).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      await inRequest(request, () => answerError(desk, refusal ?? error, request, reply))
    },
  })
  server.addHook('onRoute', (route) => {
    guard.admitRoute(route)
    // A hook of these routes only: every request would pay for it.
    if (route.config?.auth === 'webhook')
      route.preParsing = (request, _reply, payload) => guard.checkBody(request, payload)
  })
  if (fallback) server.setNotFoundHandler((request, reply) => fallback.serve(request, reply))
  openRequestContexts(server)
  server.decorateRequest('browser', null)
  server.decorateRequest('keyHolder', null)
  server.decorateRequest('createdId', null)
  server.decorateRequest('about', null)
  server.addHook('onRequest', guard.check)
  if (tracing.isOn) traceRequests(server, tracing)
  server.addHook('onResponse', (request, reply, done) => {
    if (!request.raw.complete) answeredEarly.add(request.raw.socket)
    countAnswer(metrics, request, reply)
    done()
  })
  takeLargeBodiesInTurn(server)
  acceptJsonAndForms(server)
  ignoreExpectations(server)
  server.setErrorHandler((error, request, reply) => inRequest(request, () => answerError(desk, error, request, reply)))
  watchAnswers(server, log, timeouts)
  compressAnswers(server)
  logEveryAnswer(server, log)
  closeWithinDrainTime(server, timeouts)
  return server
}

/** A body that cannot be read is passed on as its refusal: what the path names is looked for first. */
function acceptJsonAndForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const read = (reader: (bytes: Buffer) => unknown) => async (_request: FastifyRequest, bytes: Buffer) =>
    orRefusal(() => reader(bytes))
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, read(readJsonBody))
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, read(readForm))
  server.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (request.headers['content-length'] === '0') return {}
    return new BodyRefusal('unsupported_content_type', ['Send the body as application/json'])
  })
}

function orRefusal(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) return new BodyRefusal(error.kind, error.messages)
    throw error
  }
}

/** Node answers an unknown expectation with a bare 417; the protocol allows a server to ignore it. */
function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/**
 * A fault in the middle of a stream can no longer be answered: the framework closes the connection, and we log why. A caller
 * that takes nothing is disconnected, so that it does not hold what the stream reads from, or the memory of a large answer. So is one
 * that takes a large answer too slowly: others wait for that memory. Streams of events are often silent.
 */
function watchAnswers(server: FastifyInstance, log: Log, { stalledMs, slowestBytesPerSecond }: HttpTimeouts): void {
  server.addHook('onSend', (request, { raw }, payload, done) => {
    if (payload instanceof Readable) {
      payload.once('error', (error) => {
        if (raw.headersSent) inRequest(request, () => logFault(log, error, request))
      })
    }
    const disconnect = (reason: string) => (): void => {
      inRequest(request, () => log.info(reason))
      raw.destroy()
    }
    if (payload instanceof Readable ? !isEventStream(payload) : isLarge(payload))
      raw.setTimeout(stalledMs, disconnect('disconnected a caller that took nothing of its answer'))
    if (isLarge(payload) && !raw.destroyed) {
      const slowestMs = stalledMs + (payload.length / slowestBytesPerSecond) * 1000
      const tooSlow = setTimeout(disconnect('disconnected a caller that took its answer too slowly'), slowestMs)
      raw.once('close', () => clearTimeout(tooSlow))
    }
    done(null, payload)
  })
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= largeBytes
}

/** By the route, not the address: a caller can write any number of addresses. */
function countAnswer(
  { requestSeconds }: Pick<Metrics, 'requestSeconds'>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return
  const { method, routeOptions } = request
  const status = `${Math.floor(reply.statusCode / 100)}xx`
  requestSeconds.observe({ method, route: routeOptions.url ?? 'none', status }, reply.elapsedTime / 1000)
}

/** Request log at debug level. Faults and outages are logged where they are answered. */
function logEveryAnswer(server: FastifyInstance, log: Log): void {
  // Every request pays for a hook.
  if (!log.isLevelEnabled('debug')) return
  server.addHook('onResponse', async (request, reply) => {
    const { url: route = '', config } = request.routeOptions
    // The token in such a path is a secret.
    const path = config?.auth === 'elicitation_token' ? route : withoutToken(request.url.split('?', 1)[0] ?? '')
    const about = { method: request.method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    // Which key, never the key itself or a digest of it: a person may have chosen a short one.
    const by = request.keyHolder === null ? {} : { key: request.keyHolder.label }
    inRequest(request, () => log.debug({ ...about, ...by }, 'answered'))
  })
}

/** An address that matches no route may hold a token too, however its letters are written. */
export function withoutToken(path: string): string {
  const plain = decoded(path)
  const stripped = plain.replace(/(\/elicitations\/session\/)[^/]+/i, '$1:token').replace(/yme_[\w-]+/gi, ':token')
  return stripped === plain ? path : stripped
}

/** Also of an address with some escapes that are not valid. */
function decoded(path: string): string {
  return path.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/**
 * Running requests are answered with `Connection: close`, or the connection would stay open for another request. After
 * the drain time all connections are closed: a closing server no longer checks for slow clients, and a silent one
 * would keep it open forever.
 */
function closeWithinDrainTime(instance: FastifyInstance, { drainMs }: HttpTimeouts): void {
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (!instance.server.listening) reply.header('connection', 'close')
    done(null, payload)
  })
  instance.addHook('preClose', async () => {
    const timer = setTimeout(() => instance.server.closeAllConnections(), drainMs)
    instance.server.once('close', () => clearTimeout(timer))
  })
}
