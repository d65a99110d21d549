import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../html/html.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import { unavailable } from '../unavailable.ts'
import { forgetFile } from './download.ts'
import { isBelow } from './is-below.ts'
import { sendPage, wantsPage } from './pages.ts'
import { problemReply } from './problem-reply.ts'

export type Desk = { log: Log; metrics: Pick<Metrics, 'refusals'> }

/** Answers with the error that a request ended in. All are counted; only an outage and a fault are logged. */
export function answerError(
  { log, metrics }: Desk,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalOf(log, thrown, request)
  metrics.refusals.inc({ kind: refusal.kind })
  return answerRefusal(refusal, request, reply)
}

function refusalOf(log: Log, thrown: unknown, request: FastifyRequest): Refusal {
  if (thrown instanceof Refusal) return thrown
  const error: Error & { code?: unknown } = thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`)
  // The caller disconnected while its body was read: that is not a fault of ours, and no one receives the answer.
  if (error === request.raw.errored) return disconnected
  const away = unavailable(error)
  if (away) {
    log.warn({ reason: error.message }, 'the database could not carry out a request')
    return away
  }
  const known = frameworkRefusals.get(error.code)
  if (known) return known
  logFault(log, error, request)
  const sentence = `Something went wrong on our side; the log has the details under request id ${request.id}`
  return new Refusal('fault', [sentence])
}

export function logFault(log: Log, error: Error, request: FastifyRequest): void {
  log.error({ method: request.method, route: request.routeOptions.url, err: error }, 'request failed')
}

const disconnected = new Refusal('malformed_request', ['The body ended early'])

/** Errors that the framework raises before an endpoint is called. */
const frameworkRefusals: ReadonlyMap<unknown, Refusal> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', new Refusal('body_too_large', ['The body is larger than this endpoint takes'])],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', new Refusal('unsupported_content_type', ['Send the body as application/json'])],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', new Refusal('invalid_json', ['The body is not as long as its length says'])],
  ['FST_ERR_BAD_URL', new Refusal('not_found', ['The requested resource was not found'])],
  ['FST_ERR_MAX_PARAM_LENGTH', new Refusal('not_found', ['The requested resource was not found'])],
])

/**
 * The framework would close the connection when it did not read the whole body, and the reset may overtake the answer.
 * Without the header the rest of the body is read and discarded until the request times out.
 */
function answerRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = problemReply(refusal)
  reply.removeHeader('connection')
  if (status >= 500) forgetFile(reply)
  if (typeof body.retry_after === 'number') reply.header('retry-after', body.retry_after)
  if (isForPeople(request)) {
    const sentences = body.messages.map((sentence) => html`<p>${sentence}</p>`)
    return sendPage(reply.code(status), { title: body.error, body: html`${sentences}` })
  }
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** A page for people, or an address without a route outside the API. */
function isForPeople(request: FastifyRequest): boolean {
  const isPage = request.is404
    ? !['/api', '/web'].some((path) => isBelow(path, request))
    : request.routeOptions.config?.isPage === true
  return isPage && wantsPage(request)
}
