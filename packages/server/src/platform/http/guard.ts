import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse, refuseMissing } from '../refusal.ts'
import { hostNames } from './host-names.ts'
import type { KeyCheck } from './key-check.ts'

export type Guard = (request: FastifyRequest, reply: FastifyReply) => void

/** Asked before the body is read and before anything is looked up, for addresses that nothing answers too. */
export function guardOf({ keys, hosts }: { keys: KeyCheck; hosts: readonly string[] }): Guard {
  const names = hostNames(hosts)
  return (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id)
    if (!names.include(request.headers.host)) {
      refuse('unknown_host', 'This server does not answer to that host name; set APP_HOST to the name it is reached by')
    }
    if (isOfApi(request) && !keys.accepts(request.headers['x-api-key'], request.ip)) {
      refuse('unauthorized', 'Invalid or missing API key')
    }
    if (request.is404) refuseMissing()
  }
}

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/**
 * Judged by the route that was found, never by the address as it was written: `/%61pi/v1/sessions` and
 * `http://localhost/api/v1/sessions` lead to the same route. Where none was found, there is only the address.
 */
function isOfApi(request: FastifyRequest): boolean {
  return /^\/api(?![^/?#])/.test(request.routeOptions.url ?? request.url)
}
