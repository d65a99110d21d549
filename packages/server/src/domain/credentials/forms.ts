import { CredentialIdParam } from '@yardmaster/contract/connectors/fields'
import { defineEndpoint } from '@yardmaster/contract/endpoint'
import { z } from 'zod'
import { noContent } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { forgetSocial } from './social-credential.ts'

export const forOperator = [
  bind(
    defineEndpoint({
      name: 'social_credentials.delete',
      auth: 'operator',
      method: 'POST',
      path: '/supervisor/social_credentials/{id}/delete',
      tag: 'Credentials',
      summary: 'Forget the tokens of a social-network account',
      params: z.object({ id: CredentialIdParam }),
      answers: { 204: 'nothing' },
    }),
    async ({ params }, app) => {
      await forgetSocial(app, params.id)
      return noContent()
    },
  ),
]
