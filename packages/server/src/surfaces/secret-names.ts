import type { FastifyInstance } from 'fastify'
import type { App } from '../domain/app.ts'
import { listSecretNames } from '../domain/catalog/catalog.ts'

/** Outside of the versioned API, with the same auth. */
export function registerSecretNames(server: FastifyInstance, app: App): void {
  server.get('/api/secrets/keys', { config: { auth: 'api_key' } }, async () => ({ secrets: listSecretNames(app) }))
}
