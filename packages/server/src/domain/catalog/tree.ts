import type { HookEvent } from '../../runtimes/equipment.ts'
import type { AgentPermission } from '../tool.ts'

/** A loaded catalog with all references resolved. Immutable: an edit creates another tree. */
export type CatalogTree = Readonly<{
  name: string
  description: string | null
  /** A digest of all files read: the same files give the same version on every host. */
  version: string
  /** Messages about ignored parts, with file and key. */
  warnings: readonly string[]
  roots: Shelf<Root>
  mcpServers: Shelf<DeclaredServer>
  skills: Shelf<CatalogSkill>
  hooks: Shelf<CatalogHook>
  plugins: Shelf<Plugin>
  goals: Shelf<Goal>
}>

/** The entries of one kind, by name. A bare id works while only one catalog has it. */
export type Shelf<T> = Readonly<{ list: readonly T[]; find(name: string): T | undefined }>

export type Artifact = Readonly<{
  /** The bare id, or `@scope/id` where another catalog has the same id. */
  name: string
  qualifiedName: string
  /** Usable as a folder or server name: without the special characters of a qualified name. */
  plainName: string
  title: string
  description: string
}>

export type Root = Artifact &
  Readonly<{
    url: string | null
    defaultBranch: string
    subdirectory: string | null
    isUserInvocable: boolean
    /** Whether agents use settings of the repository that run programs. */
    usesRepositoryConfiguration: boolean
    defaultGoal: string | null
    defaultModel: string | null
    defaultRuntime: string | null
    defaultMcpServers: readonly string[]
    defaultSkills: readonly string[]
    defaultHooks: readonly string[]
    defaultPlugins: readonly string[]
    defaultSubagentRoots: readonly string[]
    allowsAgents: readonly AgentPermission[]
    /** `ask`: people decide what agents may do. Null: agents have every permission. */
    permissions: 'ask' | null
  }>

/** An MCP server as declared, with placeholders. Never shown by the API. */
export type DeclaredServer = Artifact &
  Readonly<{
    transport:
      | Readonly<{ kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }>
      | Readonly<{ kind: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }>
    oauth: Readonly<Record<string, unknown>> | undefined
    /** Why it cannot be used, as the catalog states it. */
    declaredUnavailable: string | undefined
  }>

export type CatalogSkill = Artifact &
  Readonly<{
    folder: string
    category: string
    isUserInvocable: boolean
    references: readonly { name: string; path: string }[]
  }>

export type CatalogHook = Artifact &
  Readonly<{
    folder: string
    /** Undefined for an unknown event: the hook is omitted. */
    event: HookEvent | undefined
    command: string
    args: readonly string[]
    env: Readonly<Record<string, string>>
    timeoutSeconds: number | undefined
    matcher: string | undefined
  }>

/** A plugin with its artifacts, including those of nested plugins. */
export type Plugin = Artifact &
  Readonly<{
    version: string | null
    keywords: readonly string[]
    plugins: readonly string[]
    skills: readonly string[]
    mcpServers: readonly string[]
    hooks: readonly string[]
  }>

export type Goal = Artifact

export function shelf<T extends Artifact>(things: readonly T[]): Shelf<T> {
  const list = [...things].sort((one, other) => (one.name < other.name ? -1 : 1))
  const byName = new Map(list.flatMap((thing) => [[thing.qualifiedName, thing] as const, [thing.name, thing] as const]))
  return { list, find: (name) => byName.get(name) }
}
