import { z } from 'zod'
import { parseRepositoryAddress } from '../../../platform/git/repository-address.ts'
import { agentPermissions } from '../../tool.ts'

/**
 * The schemas of index files. Unknown keys cause a warning and are ignored, because other programs read these files too.
 * Every artifact that a root can have by default has `default_in_roots`.
 */
const text = z.string().trim().min(1, 'must not be blank').max(10_000, 'is longer than 10,000 characters')
const title = text.max(100, 'is longer than 100 characters')
const list = z.array(text).max(1000, 'holds more than 1,000 entries')
const variables = z.record(z.string(), z.string().max(100_000))
const environment = variables.refine((env) => Object.keys(env).every((name) => /^[^=\0]+$/.test(name)), {
  message: 'holds a name that no variable can have',
})
const headers = variables.refine((fields) => Object.keys(fields).every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)), {
  message: 'holds a name that no header can have',
})
/** Shown by the API, so the only placeholder allowed is the one for the home folder. */
const repository = text.refine((url) => isRepository(url.replace(homePlaceholder, '/home')), {
  message: 'must be the URL or the absolute path of a git repository, and hold no secrets',
})
const relativePath = text.refine((path) => !path.startsWith('/') && !path.split(/[/\\]/).includes('..'), {
  message: 'must be a relative path inside the repository',
})

export const homePlaceholder = /\$\{YARDMASTER_HOME\}/g
export const folderPlaceholder = /\$\{CATALOG_FOLDER\}/g

export const RootEntry = z.object({
  description: text,
  display_name: title.optional(),
  url: repository.optional(),
  default_branch: text.optional(),
  subdirectory: relativePath.optional(),
  user_invocable: z.boolean().optional(),
  use_repository_configuration: z.boolean().optional(),
  default_goal: z.string().max(50_000).optional(),
  default_model: text.optional(),
  default_runtime: text.optional(),
  default_mcp_servers: list.optional(),
  default_skills: list.optional(),
  default_hooks: list.optional(),
  default_plugins: list.optional(),
  default_subagent_roots: list.optional(),
  allow_agents: z.array(z.enum(agentPermissions)).max(agentPermissions.length).optional(),
  permissions: z.literal('ask').optional(),
  default_in_roots: list.optional(),
})

const OauthEntry = z.looseObject({
  clientId: text.optional(),
  client_id: text.optional(),
  clientSecret: text.optional(),
  client_secret: text.optional(),
  scopes: list.optional(),
  redirectUri: text.optional(),
  redirect_uri: text.optional(),
  authServerMetadataUrl: text.optional(),
})

export const McpEntry = z
  .object({
    type: z.enum(['stdio', 'sse', 'streamable-http', 'http']),
    title: title.optional(),
    description: text.max(500, 'is longer than 500 characters').optional(),
    command: text.optional(),
    args: z.array(z.string().max(100_000)).max(1000).optional(),
    env: environment.optional(),
    url: text.optional(),
    headers: headers.optional(),
    oauth: OauthEntry.optional(),
    // Only a text counts; `true`, blank and null do not.
    unavailable: z.unknown().optional(),
    default_in_roots: list.optional(),
  })
  .superRefine((entry, context) => {
    const required = entry.type === 'stdio' ? 'command' : 'url'
    const barred = entry.type === 'stdio' ? (['url', 'headers'] as const) : (['command', 'args'] as const)
    const say = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message })
    if (entry[required] === undefined) say(required, `is required for a server of type ${entry.type}`)
    for (const key of barred) if (entry[key] !== undefined) say(key, `is not for a server of type ${entry.type}`)
    if (entry.url !== undefined && !mayBeHttp(entry.url)) say('url', 'must begin with http:// or https://')
  })

export const SkillEntry = z.object({
  id: text.optional(),
  description: text,
  path: text,
  title: title.optional(),
  category: title.optional(),
  references: list.optional(),
  user_invocable: z.boolean().optional(),
  default_in_roots: list.optional(),
})

export const HookEntry = z.object({
  id: text.optional(),
  description: text,
  path: text,
  title: title.optional(),
  references: list.optional(),
  default_in_roots: list.optional(),
})

const pluginParts = {
  title: title.optional(),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/, 'must be a version such as 1.0.0')
    .optional(),
  skills: list.optional(),
  mcp_servers: list.optional(),
  hooks: list.optional(),
  plugins: list.optional(),
  author: z.looseObject({ name: text.optional(), email: text.optional(), url: text.optional() }).optional(),
  homepage: text.optional(),
  repository: text.optional(),
  license: text.optional(),
  logo: text.optional(),
  keywords: list.optional(),
}

/** With a `path`, the folder's `.plugin/plugin.json` may hold the other fields; the index takes precedence. */
export const PluginEntry = z.object({
  id: text.optional(),
  description: text.optional(),
  path: text.optional(),
  ...pluginParts,
  default_in_roots: list.optional(),
})

export const PluginManifest = z.object({ name: text.optional(), description: text.optional(), ...pluginParts })

export const ReferenceEntry = z.object({
  id: text.optional(),
  description: text,
  path: text.optional(),
  file: text.optional(),
  title: title.optional(),
})

export const GoalEntry = z.object({ name: title, description: text.max(50_000).optional() })

export const HookFile = z.object({
  /** Not validated here: an unknown event omits only this hook. */
  event: text,
  command: text,
  args: z.array(z.string().max(100_000)).max(1000).optional(),
  env: environment.optional(),
  timeout_seconds: z.number().positive().max(86_400).optional(),
  matcher: text.max(1000).optional(),
})

function isRepository(url: string): boolean {
  if (url.includes('${')) return false
  try {
    return parseRepositoryAddress(url).credentials === undefined
  } catch {
    return false
  }
}

/** A value with a placeholder is validated after substitution. */
function mayBeHttp(url: string): boolean {
  return url.includes('${') || (/^https?:\/\//i.test(url) && URL.canParse(url))
}
