import { z } from 'zod'
import { limits } from '../limits.ts'

const names = z.array(z.string())

/** A list of names from the catalog. The operation checks that the catalog has them. */
function selection(max: number, what: string) {
  return names
    .max(max)
    .nullish()
    .meta({ description: `${what} from the catalog. Absent: those of the root; an empty list: none.` })
}

export const ArtifactLists = z.object({
  mcp_servers: selection(limits.mcpServers, 'MCP servers'),
  catalog_skills: selection(limits.catalogSkills, 'Skills'),
  catalog_hooks: selection(limits.catalogHooks, 'Hooks'),
  catalog_plugins: selection(limits.catalogPlugins, 'Plugins'),
})

export type ArtifactLists = z.infer<typeof ArtifactLists>

const id = z
  .string()
  .meta({ description: 'Its name in lists and requests: the id, or `@scope/id` where the id is ambiguous.' })
const title = z.string().meta({ description: 'For people; the name where the catalog has none.' })
const description = z.string().meta({ description: 'What it is for.' })

export const CatalogServer = z
  .object({
    name: id,
    title,
    description,
    unavailable: z.boolean().meta({ description: 'Whether it cannot start now, as far as this host can tell.' }),
    unavailable_reason: z.string().nullable().meta({ description: 'Why; null exactly when it is available.' }),
  })
  .meta({ id: 'CatalogServer' })

export type CatalogServer = z.infer<typeof CatalogServer>

export const CatalogSkill = z
  .object({
    id,
    name: z.string().meta({ description: 'The same as the id.' }),
    title,
    description,
    category: z.string().meta({ description: 'Its category in the catalog, else the folder it is in.' }),
    user_invocable: z.boolean().meta({ description: 'Whether people are offered it.' }),
  })
  .meta({ id: 'CatalogSkill' })

export type CatalogSkill = z.infer<typeof CatalogSkill>

export const CatalogHook = z
  .object({
    id,
    name: z.string().meta({ description: 'The same as the id.' }),
    title,
    description,
    event: z
      .string()
      .nullable()
      .meta({ description: 'The event it runs on; null for an unknown event, on which it never runs.' }),
  })
  .meta({ id: 'CatalogHook' })

export type CatalogHook = z.infer<typeof CatalogHook>

export const CatalogPlugin = z
  .object({
    id,
    title,
    description,
    version: z.string().nullable().meta({ description: 'Its version; null when it has none.' }),
    skills: names.meta({ description: 'The skills it brings, with those of the plugins in it.' }),
    mcp_servers: names.meta({ description: 'The MCP servers it brings, with those of the plugins in it.' }),
    hooks: names.meta({ description: 'The hooks it brings, with those of the plugins in it.' }),
    plugins: names.meta({ description: 'The plugins in it.' }),
    keywords: names.meta({ description: 'Words to find it by.' }),
  })
  .meta({ id: 'CatalogPlugin' })

export type CatalogPlugin = z.infer<typeof CatalogPlugin>

export const AgentRoot = z
  .object({
    name: z.string().meta({ description: 'What `agent_root` takes when a session is created.' }),
    display_name: z.string().meta({ description: 'For people.' }),
    description,
    url: z.string().nullable().meta({ description: 'Its repository; null when each session names one.' }),
    default_branch: z.string().meta({ description: 'The branch of a session that names none.' }),
    subdirectory: z.string().nullable().meta({ description: 'Directory in the repository the agent works in.' }),
    custom: z.literal(false).meta({ description: 'Always false; kept for older clients.' }),
    default: z.boolean().meta({ description: 'Whether it is offered first.' }),
    default_goal: z
      .string()
      .nullable()
      .meta({ description: 'The goal of a session that names none: an id or a text.' }),
    default_mcp_servers: names.meta({ description: 'MCP servers of a session that names none.' }),
    default_skills: names.meta({ description: 'Skills of a session that names none.' }),
    default_hooks: names.meta({ description: 'Hooks of a session that names none.' }),
    default_plugins: names.meta({ description: 'Plugins of a session that names none.' }),
    default_subagent_roots: names.meta({ description: 'Roots that its sessions may start sessions on.' }),
    user_invocable: z.boolean().meta({ description: 'Whether people are offered it for a new session.' }),
    default_model: z.string().nullable().meta({ description: 'The model its sessions get.' }),
    default_runtime: z.string().meta({ description: 'The runtime its sessions get.' }),
  })
  .meta({ id: 'AgentRoot' })

export type AgentRoot = z.infer<typeof AgentRoot>

const RuntimeModels = z.object({
  default: z.string().meta({ description: 'The model of a session that names none.' }),
  models: z.array(
    z.object({
      id: z.string().meta({ description: 'What `config.model` takes.' }),
      label: z.string().meta({ description: 'For people.' }),
      default: z.boolean().meta({ description: 'Whether it is the default.' }),
      requires_oauth: z.boolean().meta({ description: 'Whether it needs a subscription sign-in.' }),
    }),
  ),
  takes_commands: z
    .boolean()
    .meta({ description: "Whether the agent's program has commands, which `config.cli_commands` lets prompts use." }),
  commands: z
    .array(
      z.object({
        name: z.string().meta({ description: 'Without its slash.' }),
        description: z.string().meta({ description: 'What it does.' }),
      }),
    )
    .meta({ description: 'The commands that are known before the agent runs. Its skills are commands too.' }),
  takes_compact_window: z
    .boolean()
    .meta({ description: 'Whether `auto_compact_window` has an effect on its sessions.' }),
})

export const CatalogState = z.object({
  name: z.string().meta({ description: 'The name in its `air.json`.' }),
  version: z.string().meta({ description: 'A digest of everything that was loaded.' }),
  degraded: z.boolean().meta({ description: 'Whether its files are invalid now.' }),
  error: z.string().nullable().meta({ description: 'Why, by file and key; the last valid catalog is in force.' }),
  warnings: names.meta({ description: 'Entries that are ignored, by file and key.' }),
})

export type CatalogState = z.infer<typeof CatalogState>

export const Configs = z.object({
  mcp_servers: z.array(CatalogServer).meta({ description: 'The MCP servers that sessions can be given.' }),
  agent_roots: z.array(AgentRoot).meta({ description: 'The roots that sessions can be made from.' }),
  runtime_models: z
    .record(z.string(), RuntimeModels)
    .meta({ description: 'The models of each registered runtime, and what else it offers.' }),
  goals: z
    .array(z.object({ id, name: z.string().meta({ description: 'For people.' }), description }))
    .meta({ description: 'Goals that can be named by their id.' }),
})

export type Configs = z.infer<typeof Configs>

export const SecretName = z
  .object({
    name: z.string().meta({ description: 'What a placeholder in the catalog names.' }),
    description: z.string().nullable().meta({ description: 'For people; null where the file has none.' }),
    source: z.enum(['social_credential', 'file', 'environment']).meta({ description: 'Where its value comes from.' }),
    used_by: names.meta({ description: 'Catalog entries with a placeholder for it, such as `mcp_servers/tracker`.' }),
  })
  .meta({ id: 'SecretName' })

export type SecretName = z.infer<typeof SecretName>
