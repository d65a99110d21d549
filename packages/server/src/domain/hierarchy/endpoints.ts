import { ActingSessionId } from '@yardmaster/contract/acting-session'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { noContent } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { detachUncle } from './detach-uncle.ts'

export const endpoints = [
  defineEndpoint({
    method: 'DELETE',
    path: '/sessions/{id}/uncle_links/{uncle_id}',
    tag: 'Sessions',
    summary: 'Detach an uncle from a session',
    description:
      'Removes the link by which `uncle_id` counts as a senior of `id`, and no other. `acting_session_id` may stand in the body as well.',
    params: z.object({
      id: SessionRef.meta({ description: 'The junior: its numeric id or its slug.' }),
      uncle_id: SessionRef.meta({ description: 'The senior: its numeric id or its slug.' }),
    }),
    query: z.object({ acting_session_id: ActingSessionId }),
    body: z.object({ acting_session_id: ActingSessionId }),
    answers: { 204: 'nothing' },
    refusals: ['no_uncle_link'],
    handle: async ({ params, query, body }, app) => {
      const actingSessionId = query.acting_session_id ?? body.acting_session_id
      await detachUncle(app, { junior: params.id, senior: params.uncle_id, actingSessionId })
      return noContent()
    },
  }),
]
