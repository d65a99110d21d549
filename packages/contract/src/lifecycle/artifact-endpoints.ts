import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { refuseField, sent } from '../sent.ts'
import { SessionWithMessage } from './fields.ts'

const AuthorizationNeeds = z.object({
  oauth_required: z.boolean().meta({ description: 'Whether a person has to sign in to a server first.' }),
  oauth_required_servers: z
    .array(
      z.object({
        server_name: z.string().meta({ description: 'Its name in the catalog.' }),
        server_url: z.string().meta({ description: 'Where it is.' }),
      }),
    )
    .meta({ description: 'The servers that a person has to sign in to.' }),
})

const WithAuthorizationNeeds = SessionWithMessage.extend(AuthorizationNeeds.shape)

type ArtifactList = 'mcp_servers' | 'catalog_skills' | 'catalog_hooks' | 'catalog_plugins'

type Rules<List extends ArtifactList, Answer> = { list: List; max: number; words: string; answer: Answer }

/** The four lists differ only in their rules. */
function defineArtifacts<const List extends ArtifactList, Answer extends z.ZodType>(rules: Rules<List, Answer>) {
  const { list, max, words, answer } = rules
  const names = sent<readonly string[]>()
    .transform((value, context): string[] => {
      if (value === undefined) return refuseField(context, 'missing_parameter', `${list} is required`)
      if (!Array.isArray(value)) return refuseField(context, 'invalid_parameter', `${list} must be an array`)
      if (value.length > max) return refuseField(context, 'too_many_entries', `Too many ${words} (maximum ${max})`)
      // The catalog has no such name, so the operation refuses it and shows it to the caller.
      return value.map((name) => (typeof name === 'string' ? name : JSON.stringify(name)))
    })
    .meta({
      type: 'array',
      items: { type: 'string' },
      maxItems: max,
      description: `Names from the catalog, at most ${max}; \`[]\` clears the list. Required.`,
    })
  return defineEndpoint({
    name: `sessions.update_${list}`,
    auth: 'api_key',
    method: 'PATCH',
    path: `/sessions/{id}/${list}`,
    tag: 'Sessions',
    summary: `Choose the ${words} of a session`,
    description:
      'Replaces the whole list. The next turn uses it; a turn that is underway keeps the list it started with.',
    params: z.object({ id: SessionRef }),
    body: z.object({ [list]: names } as Record<List, typeof names>), // TypeScript widens the computed key
    answers: { 200: answer },
    refusals: ['missing_parameter', 'invalid_parameter', 'too_many_entries', 'invalid_entries'],
  })
}

export const updateMcpServers = defineArtifacts({
  list: 'mcp_servers',
  max: limits.mcpServers,
  words: 'MCP servers',
  answer: WithAuthorizationNeeds,
})
export const updateSkills = defineArtifacts({
  list: 'catalog_skills',
  max: limits.catalogSkills,
  words: 'catalog skills',
  answer: SessionWithMessage,
})
export const updateHooks = defineArtifacts({
  list: 'catalog_hooks',
  max: limits.catalogHooks,
  words: 'catalog hooks',
  answer: SessionWithMessage,
})
export const updatePlugins = defineArtifacts({
  list: 'catalog_plugins',
  max: limits.catalogPlugins,
  words: 'catalog plugins',
  answer: WithAuthorizationNeeds,
})

export const endpoints = [updateMcpServers, updateSkills, updateHooks, updatePlugins] as const
