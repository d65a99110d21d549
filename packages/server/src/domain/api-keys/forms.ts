import { defineEndpoint } from '@yardmaster/contract/endpoint'
import { IdParam } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { created, noContent } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { apiKeysTopic, makeApiKey, NewKey, readExpiry, revokeApiKey } from './api-key.ts'

const tag = 'API keys'

/** What the forms of `/supervisor` do. No caller with a key makes another: it would outlive its own revocation. */
export const forOperator = [
  bind(
    defineEndpoint({
      name: 'api_keys.create',
      auth: 'operator',
      method: 'POST',
      path: '/supervisor/api_keys',
      tag,
      summary: 'Make an API key; its secret is in this answer only',
      body: NewKey,
      answers: { 201: z.object({ secret: z.string() }) },
    }),
    async ({ body: { label, scope, expires } }, app) => {
      const expiresAt = expires ? readExpiry(expires, app.clock.now()) : null
      const { secret } = await makeApiKey(app.db, { label, scope, expiresAt, madeBy: 'operator' })
      return created({ secret })
    },
  ),
  bind(
    defineEndpoint({
      name: 'api_keys.revoke',
      auth: 'operator',
      method: 'POST',
      path: '/supervisor/api_keys/{id}/revoke',
      tag,
      summary: 'Revoke an API key; its event streams and sign-ins end',
      params: z.object({ id: IdParam }),
      answers: { 204: 'nothing' },
    }),
    async ({ params }, app) => {
      await revokeApiKey(app.db, params.id, app.clock.now())
      await app.signals.announce(apiKeysTopic)
      return noContent()
    },
  ),
]
