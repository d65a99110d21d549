import type {
  AgentRoot,
  CatalogHook,
  CatalogPlugin,
  CatalogServer,
  CatalogSkill,
  CatalogState,
  Configs,
  SecretName,
} from '@yardmaster/contract/catalog/fields'
import type { Settings } from '@yardmaster/contract/settings/fields'
import { defaultModel } from '../../runtimes/registry.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { readSettings } from '../settings/settings.ts'
import { availabilityOf } from './availability.ts'
import { modelFor, runtimeNameFor } from './defaults.ts'
import type { Root } from './tree.ts'

/** Everything a client needs to create a session. Omits commands, addresses and headers of servers, which may hold secrets. */
export async function presentConfigs(app: App): Promise<Configs> {
  const tree = app.catalog.current()
  const settings = await readSettings(app.db)
  return {
    mcp_servers: await listServers(app),
    agent_roots: tree.roots.list.map((root) => presentRoot(app, settings, root)),
    runtime_models: presentModels(app),
    goals: tree.goals.list.map(({ name, title, description }) => ({ id: name, name: title, description })),
  }
}

export function presentCatalog(app: App): CatalogState {
  const { isDegraded, ...status } = app.catalog.status()
  return { ...status, degraded: isDegraded, warnings: [...status.warnings] }
}

export async function listServers(app: App): Promise<CatalogServer[]> {
  const servers = app.catalog.current().mcpServers.list
  return Promise.all(
    servers.map(async (server) => {
      const { reason } = await availabilityOf(app.catalog, server)
      const { name, title, description } = server
      return { name, title, description, unavailable: reason !== null, unavailable_reason: reason }
    }),
  )
}

export function listSkills(app: App): CatalogSkill[] {
  return app.catalog.current().skills.list.map(({ name, title, description, category, isUserInvocable }) => ({
    id: name,
    name,
    title,
    description,
    category,
    user_invocable: isUserInvocable,
  }))
}

export function listHooks(app: App): CatalogHook[] {
  return app.catalog.current().hooks.list.map(({ name, title, description, event = null }) => ({
    id: name,
    name,
    title,
    description,
    event,
  }))
}

export function listPlugins(app: App): CatalogPlugin[] {
  return app.catalog.current().plugins.list.map((plugin) => ({
    id: plugin.name,
    title: plugin.title,
    description: plugin.description,
    version: plugin.version,
    skills: [...plugin.skills],
    mcp_servers: [...plugin.mcpServers],
    hooks: [...plugin.hooks],
    plugins: [...plugin.plugins],
    keywords: [...plugin.keywords],
  }))
}

/** Lists the names of secrets, never their values. */
export function listSecretNames(app: App): SecretName[] {
  return app.catalog
    .secrets()
    .names()
    .map(({ usedBy, ...secret }) => ({ ...secret, used_by: [...usedBy] }))
}

function presentRoot(app: App, settings: Settings, root: Root): AgentRoot {
  const runtimeName = runtimeNameFor(app, settings, root)
  const runtime = app.runtimes.find(runtimeName)
  return {
    name: root.name,
    display_name: root.title,
    description: root.description,
    url: root.url,
    default_branch: root.defaultBranch,
    subdirectory: root.subdirectory,
    custom: false,
    default: root.name === app.catalog.defaultRootName(),
    default_goal: root.defaultGoal,
    default_mcp_servers: [...root.defaultMcpServers],
    default_skills: [...root.defaultSkills],
    default_hooks: [...root.defaultHooks],
    default_plugins: [...root.defaultPlugins],
    default_subagent_roots: [...root.defaultSubagentRoots],
    user_invocable: root.isUserInvocable,
    default_model: runtime ? modelFor(runtime, settings, root) : root.defaultModel,
    default_runtime: runtimeName,
  }
}

function presentModels(app: App): Configs['runtime_models'] {
  return Object.fromEntries(
    app.runtimes.names().flatMap((name) => {
      const runtime = app.runtimes.find(name)
      return runtime ? [[name, presentRuntime(runtime)]] : []
    }),
  )
}

function presentRuntime(runtime: Runtime): Configs['runtime_models'][string] {
  return {
    default: defaultModel(runtime).id,
    models: [...runtime.models()],
    takes_commands: runtime.commands !== undefined,
    commands: [...(runtime.commands ?? [])],
    takes_compact_window: runtime.takesCompactWindow ?? false,
  }
}
