import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inWork, type WorkContext } from '../log/work-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, once it has one. */
    spanContext: WorkContext | null
  }
}

/** Short, and of characters that mean nothing to a log, a shell, a header or a page. */
const safeId = /^[A-Za-z0-9._-]{1,64}$/

/** A caller's own id is kept, so that its log and ours can be compared. Any other value is ignored: the id is in every line. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && safeId.test(given) ? given : crypto.randomUUID()
}

/** Runs `work` on behalf of a request: its log lines carry the id of the request. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  return inWork({ request_id: request.id, ...request.spanContext }, work)
}

/** Node emits the events of a body outside of the context that the first hook opened, so it is opened again after the body. */
export function openRequestContexts(server: FastifyInstance): void {
  server.decorateRequest('spanContext', null)
  server.addHook('onRequest', (request, _reply, done) => inRequest(request, done))
  server.addHook('preValidation', (request, _reply, done) => inRequest(request, done))
}
