import type { HookEvent } from '../../runtimes/equipment.ts'

/** A catalog as it was loaded, with every name in it resolved. Nothing in it ever changes: an edit makes another tree. */
export type CatalogTree = Readonly<{
  name: string
  description: string | null
  /** A digest of everything that was read: the same files make the same version on every host. */
  version: string
  /** What was ignored, in sentences that name file and key. */
  warnings: readonly string[]
  roots: Shelf<Root>
  mcpServers: Shelf<DeclaredServer>
  skills: Shelf<CatalogSkill>
  hooks: Shelf<CatalogHook>
  plugins: Shelf<Plugin>
  goals: Shelf<Goal>
}>

/** The things of one kind, by name. A bare id finds its thing while no other catalog has one of that id. */
export type Shelf<T> = Readonly<{ list: readonly T[]; find(name: string): T | undefined }>

export type Artifact = Readonly<{
  /** The bare id, or `@scope/id` where another catalog has the same id. */
  name: string
  qualifiedName: string
  /** Fit for a folder or a server: without the signs of a qualified name. */
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
    defaultGoal: string | null
    defaultModel: string | null
    defaultRuntime: string | null
    defaultMcpServers: readonly string[]
    defaultSkills: readonly string[]
    defaultHooks: readonly string[]
    defaultPlugins: readonly string[]
    defaultSubagentRoots: readonly string[]
  }>

/** An MCP server as the catalog declares it, placeholders and all. Never shown. */
export type DeclaredServer = Artifact &
  Readonly<{
    transport:
      | Readonly<{ kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }>
      | Readonly<{ kind: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }>
    oauth: Readonly<Record<string, unknown>> | undefined
    /** Why it cannot be used, in the catalog's own words. */
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
    /** Undefined is one we do not know: the hook is left out. */
    event: HookEvent | undefined
    command: string
    args: readonly string[]
    env: Readonly<Record<string, string>>
    timeoutSeconds: number | undefined
    matcher: string | undefined
  }>

/** What it brings is expanded: with all that the plugins in it bring. */
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
