import { apiPrefix } from '@yardmaster/contract/address'
import type { FastifyInstance } from 'fastify'
import type { App } from '../domain/app.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { describeApi } from '../platform/http/openapi.ts'
import { renderReference } from '../platform/http/reference-page.ts'
import { once } from '../platform/once.ts'
import { version } from '../platform/version.ts'

/** Serves the OpenAPI document, which needs a key, and the reference page, which does not. */
export function registerReference(server: FastifyInstance, endpoints: readonly Endpoint<App>[]): void {
  // Built by the first request: building takes a third of the start-up time, and most starts never need it.
  const document = once(() =>
    describeApi(endpoints, {
      title: 'Yardmaster',
      version,
      description:
        'A self-hosted control plane for coding-agent sessions. Agents use the same operations as tools over the Model Context Protocol, at `POST /mcp`.',
    }),
  )
  const json = once(() => JSON.stringify(document()))
  const page = once(() => renderReference(document()))
  const open = { config: { auth: 'none' } } as const
  server.get(`${apiPrefix}/openapi.json`, { config: { auth: 'api_key' } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(json()),
  )
  server.get('/docs', open, (_request, reply) => reply.type('text/html; charset=utf-8').send(page().html))
  server.get('/docs/reference.css', open, (_request, reply) => reply.type('text/css; charset=utf-8').send(page().css))
}
