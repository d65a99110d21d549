import { z } from 'zod'
import { ActingSessionId } from '../acting-session.ts'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'

export const deleteUncleLink = defineEndpoint({
  name: 'uncle_links.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/sessions/{id}/uncle_links/{uncle_id}',
  tag: 'Sessions',
  summary: 'Detach an uncle from a session',
  description:
    'Removes the link that makes `uncle_id` a senior of `id`, and no other. `acting_session_id` may be in the body instead.',
  params: z.object({
    id: SessionRef.meta({ description: 'The junior: its numeric id or its slug.' }),
    uncle_id: SessionRef.meta({ description: 'The senior: its numeric id or its slug.' }),
  }),
  query: z.object({ acting_session_id: ActingSessionId }),
  body: z.object({ acting_session_id: ActingSessionId }),
  answers: { 204: 'nothing' },
  refusals: ['no_uncle_link'],
})

export const endpoints = [deleteUncleLink] as const
