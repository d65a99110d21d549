import { SessionRef } from '@yardmaster/contract/identifiers'
import { SessionWithMessage } from '@yardmaster/contract/lifecycle/fields'
import { z } from 'zod'
import { ok } from '../../../platform/http/answer.ts'
import { defineEndpoint } from '../../app.ts'
import { changeArtifacts } from './change-artifacts.ts'
import { listRules } from './list-rules.ts'

const AuthorizationNeeds = z.object({
  oauth_required: z.boolean().meta({ description: 'Whether somebody has to sign in to a server first.' }),
  oauth_required_servers: z
    .array(
      z.object({
        server_name: z.string().meta({ description: 'Its name in the catalog.' }),
        server_url: z.string().meta({ description: 'Where it is.' }),
      }),
    )
    .meta({ description: 'The servers that somebody has to sign in to.' }),
})

/** One endpoint for each of the four lists. */
export const artifactEndpoints = listRules.map((rules) => {
  const { list, max, words, message, bringsServers } = rules
  const names = z
    .unknown()
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string' },
      maxItems: max,
      description: `Names from the catalog, at most ${max}; \`[]\` clears the list. Required.`,
    })
  return defineEndpoint({
    method: 'PATCH',
    path: `/sessions/{id}/${list}`,
    tag: 'Sessions',
    summary: `Choose the ${words} of a session`,
    description: 'Takes the place of the whole list. The next turn has it; a turn that is underway is left as it is.',
    params: z.object({ id: SessionRef }),
    body: z.object({ [list]: names }),
    answers: { 200: bringsServers ? SessionWithMessage.extend(AuthorizationNeeds.shape) : SessionWithMessage },
    refusals: ['missing_parameter', 'invalid_parameter', 'too_many_entries', 'invalid_entries'],
    handle: async ({ params, rawBody }, app) => {
      const { session, needsAuthorization } = await changeArtifacts(app, params.id, rules, rawBody)
      const needs = { oauth_required: needsAuthorization.length > 0, oauth_required_servers: needsAuthorization }
      return ok({ session, message, ...(bringsServers && needs) })
    },
  })
})
