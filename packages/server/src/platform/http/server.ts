import type { Socket } from 'node:net'
import { limits } from '@yardmaster/contract/limits'
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { isOutage } from '../db/outage.ts'
import type { Log } from '../log/log.ts'
import { Refusal, refuse, refuseMissing } from '../refusal.ts'
import type { ApiKeys } from './api-keys.ts'
import { hostNames } from './host-names.ts'
import { readJsonBody } from './json-body.ts'
import { problemReply } from './problem-reply.ts'

export type HttpServerOptions = {
  log: Log
  keys: ApiKeys
  /** Names besides the loopback ones that requests may be addressed to. */
  hosts: readonly string[]
  timeouts?: HttpTimeouts
}

/** A slow client is cut within 15 s: the limits below plus one round of the check. */
export type HttpTimeouts = { headersMs: number; requestMs: number; keepAliveMs: number; checkEveryMs: number }
const defaultTimeouts: HttpTimeouts = { headersMs: 8000, requestMs: 14_000, keepAliveMs: 10_000, checkEveryMs: 1000 }

/** Long enough for any slug or id in a path; anything longer names nothing. */
const maxParamLength = 300

export function openHttpServer({ log, keys, hosts, timeouts = defaultTimeouts }: HttpServerOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkEveryMs },
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength },
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => cutOff(error, socket),
    frameworkErrors: (error, request, reply) => answerError(log, error, request, reply),
  })
  guardEveryRequest(server, { keys, hosts })
  acceptJsonOnly(server)
  server.setErrorHandler<FastifyError>((error, request, reply) => answerError(log, error, request, reply))
  server.setNotFoundHandler(() => refuseMissing())
  logEveryAnswer(server, log)
  return server
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/** Runs before the body is read and before any route is looked at, unknown ones included. */
function guardEveryRequest(server: FastifyInstance, options: { keys: ApiKeys; hosts: readonly string[] }): void {
  const names = hostNames(options.hosts)
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id)
    if (!names.include(request.headers.host)) {
      refuse('unknown_host', 'This server does not answer to that host name; set APP_HOST to the name it is reached by')
    }
    if (request.url.startsWith('/api/') && !options.keys.accepts(request.headers['x-api-key'])) {
      refuse('unauthorized', 'Invalid or missing API key')
    }
  })
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

const retryAfterSeconds = 2

function answerError(
  log: Log,
  error: Error & { code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof Refusal) return answerRefusal(error, reply)
  if (isOutage(error)) {
    log.warn({ requestId: request.id, reason: error.message }, 'the database could not be reached')
    reply.header('retry-after', retryAfterSeconds)
    const sentence = 'The database cannot be reached right now; try again shortly'
    return answerRefusal(new Refusal('unavailable', [sentence], { retry_after: retryAfterSeconds }), reply)
  }
  const known = error.code === undefined ? undefined : frameworkRefusals[error.code]
  if (known) return answerRefusal(known, reply)
  log.error(
    { requestId: request.id, method: request.method, route: request.routeOptions.url, err: error },
    'a request failed by a fault of ours',
  )
  const sentence = `Something went wrong on our side; the log has the details under request id ${request.id}`
  return answerRefusal(new Refusal('fault', [sentence]), reply)
}

/** What the framework finds wrong with a request before an endpoint sees it. */
const frameworkRefusals: Record<string, Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal('body_too_large', ['The body is larger than this endpoint takes']),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Refusal('unsupported_content_type', ['Send the body as application/json']),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refusal('invalid_json', [
    'The body is not as long as its Content-Length says',
  ]),
  FST_ERR_BAD_URL: new Refusal('not_found', ['The requested resource was not found']),
  FST_ERR_MAX_PARAM_LENGTH: new Refusal('not_found', ['The requested resource was not found']),
}

function answerRefusal(refusal: Refusal, reply: FastifyReply): FastifyReply {
  const { status, body } = problemReply(refusal)
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Below HTTP: the request could not be read at all, or not in time. */
function cutOff(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, body } = problemReply(
    socketRefusals[error.code ?? ''] ?? new Refusal('malformed_request', ['The request is not valid HTTP']),
  )
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${body.error}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

const socketRefusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal('request_timeout', ['The request did not arrive in time']),
  HPE_HEADER_OVERFLOW: new Refusal('headers_too_large', ['The request headers are too large']),
}

function logEveryAnswer(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', async (request, reply) => {
    const path = request.url.split('?', 1)[0]
    const level = reply.statusCode >= 500 ? 'warn' : 'debug'
    log[level](
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
