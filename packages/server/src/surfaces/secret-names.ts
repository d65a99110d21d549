import type { FastifyInstance } from 'fastify'
import type { App } from '../domain/app.ts'
import { listSecretNames } from '../domain/catalog/catalog.ts'

/** Outside of the versioned API, and behind the same key: every address below `/api` is. */
export function registerSecretNames(server: FastifyInstance, app: App): void {
  server.get('/api/secrets/keys', async () => ({ secrets: listSecretNames(app) }))
}
