import type { FastifyInstance } from 'fastify'
import type { App } from '../domain/app.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'
import { describeApi } from '../platform/http/openapi.ts'
import { renderReference } from '../platform/http/reference-page.ts'
import { once } from '../platform/once.ts'
import { version } from '../platform/version.ts'
import { apiPrefix } from './rest.ts'

/** The API's description for machines, behind the key like the API itself, and for people. */
export function registerReference(server: FastifyInstance, endpoints: readonly Endpoint<App>[]): void {
  // Written when it is first asked for: it is a third of the work of a start, and most starts are never asked.
  const document = once(() =>
    describeApi(endpoints, {
      title: 'Yardmaster',
      version,
      description:
        'A self-hosted control plane for coding-agent sessions. Agents find the same as tools over the Model Context Protocol, at `POST /mcp`.',
      prefix: apiPrefix,
    }),
  )
  const json = once(() => JSON.stringify(document()))
  const page = once(() => renderReference(document()))
  server.get(`${apiPrefix}/openapi.json`, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(json()),
  )
  // Whoever opens the address in a browser wants to know what this is.
  server.get('/', (_request, reply) => reply.redirect('/docs'))
  server.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(page().html))
  server.get('/docs/reference.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(page().css))
}
