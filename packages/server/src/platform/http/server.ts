import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { limits } from '@yardmaster/contract/limits'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import { answerError, logFault } from './answer-error.ts'
import { cutOff } from './cut-off.ts'
import { guardOf } from './guard.ts'
import { readJsonBody } from './json-body.ts'
import type { KeyCheck } from './key-check.ts'

export type HttpServerOptions = {
  log: Log
  keys: KeyCheck
  /** Names besides the loopback ones that requests may be addressed to. */
  hosts: readonly string[]
  /** Whether a proxy on this machine says whom it asks for. */
  isProxied?: boolean
  timeouts?: HttpTimeouts
}

export type HttpTimeouts = {
  headersMs: number
  requestMs: number
  keepAliveMs: number
  checkEveryMs: number
  /** How long a closing server waits for answers that are underway. */
  drainMs: number
}

/** A slow client is cut within 15 s: each limit plus one round of the check. */
export const defaultTimeouts: HttpTimeouts = {
  headersMs: 8000,
  requestMs: 13_000,
  keepAliveMs: 10_000,
  checkEveryMs: 1000,
  drainMs: 3000, // turns and the database are still to be closed in the time a service manager grants
}

/** Long enough for any slug or id in a path; anything longer names nothing. */
const maxParamLength = 300

export function openHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, keys, hosts, isProxied = false, timeouts = defaultTimeouts } = options
  const guard = guardOf({ keys, hosts })
  // Connections on which a request was answered before all of it had come: there is nothing more to say on them.
  const answeredEarly = new WeakSet<Socket>()
  const server = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      requireHostHeader: false, // the guard refuses a missing one, in the shape of every error
    },
    trustProxy: isProxied ? 'loopback' : false,
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what reached us on an open connection is served; the framework's 503 has another shape
    clientErrorHandler: (error, socket) => (answeredEarly.has(socket) ? socket.destroy() : cutOff(error, socket)),
    // An address that cannot be read is no way around the guard.
    frameworkErrors: (error, request, reply) =>
      answerError(log, thrownBy(() => guard(request, reply)) ?? error, request, reply),
  })
  server.addHook('onRequest', async (request, reply) => guard(request, reply))
  server.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) answeredEarly.add(raw.socket)
  })
  acceptJsonOnly(server)
  ignoreExpectations(server)
  server.setErrorHandler((error, request, reply) => answerError(log, error, request, reply))
  logBrokenStreams(server, log)
  logEveryAnswer(server, log)
  closeInTime(server, timeouts)
  return server
}

/** The framework has nobody above this who would catch it. */
function thrownBy(guard: () => void): unknown {
  try {
    guard()
    return undefined
  } catch (error) {
    return error
  }
}

function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJsonBody(body),
  )
  server.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (request.headers['content-length'] === '0') return {}
    return refuse('unsupported_content_type', 'Send the body as application/json')
  })
}

/** Node would answer an expectation it does not know with a bare 417; the protocol lets a server pass over it. */
function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** A fault in the middle of a stream can no longer be answered: the framework cuts the connection, and we say why. */
function logBrokenStreams(server: FastifyInstance, log: Log): void {
  server.addHook('onSend', (request, { raw }, payload, done) => {
    if (payload instanceof Readable) {
      payload.once('error', (error) => {
        if (raw.headersSent) logFault(log, error, request)
      })
    }
    done(null, payload)
  })
}

/** For those who want to see the traffic. A fault and an outage have been told by then, once. */
function logEveryAnswer(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', async (request, reply) => {
    const path = request.url.split('?', 1)[0]
    log.debug(
      {
        requestId: request.id,
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
  })
}

/**
 * Answers that are underway are given, each as the last on its connection, or it would stay open for another request.
 * After that the rest is cut: a closing server no longer looks for slow clients, and a silent one would hold it for good.
 */
function closeInTime(instance: FastifyInstance, { drainMs }: HttpTimeouts): void {
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (!instance.server.listening) reply.header('connection', 'close')
    done(null, payload)
  })
  instance.addHook('preClose', async () => {
    const timer = setTimeout(() => instance.server.closeAllConnections(), drainMs)
    instance.server.once('close', () => clearTimeout(timer))
  })
}
