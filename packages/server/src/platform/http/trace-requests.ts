import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracing } from '../tracing/tracing.ts'

/**
 * A span for each request that the guard has admitted: a stranger cannot fill the queue of spans. What needs no key has none:
 * probes come every few seconds.
 */
export function traceRequests(server: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request
    if (routeOptions.config?.auth !== 'none') {
      // The route, not the address: that may hold a token.
      const route = routeOptions.url ?? ''
      const span = tracing.begin({
        name: `${method} ${route}`,
        kind: 'server',
        parent: headerOf(headers.traceparent),
        attributes: { 'http.request.method': method, 'http.route': route, 'yardmaster.request.id': request.id },
      })
      spans.set(request, span)
      request.spanContext = span.context
    }
    done()
  })
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request)
    span?.set({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) span?.fail(String(statusCode))
    span?.end()
    done()
  })
}

/** Null: a new trace begins. */
function headerOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null
}
