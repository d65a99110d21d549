import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import type { CatalogKind } from './catalog-search.ts'

type Root = Result<'configs.show'>['agent_roots'][number]

/** An entry of the catalog as the browser shows it. */
export type CatalogEntry = {
  name: string
  title: string
  description: string
  /** Why it cannot be used now. */
  problem?: string | undefined
  facts: readonly { label: string; value: string }[]
  /** Names of other entries, by kind. */
  uses: readonly { kind: CatalogKind; names: readonly string[] }[]
  usedBy: readonly { kind: CatalogKind; name: string }[]
}

export type CatalogEntries = Record<CatalogKind, readonly CatalogEntry[]>

/** Everything in the catalog, with who uses it. */
export function useCatalog(): { entries: CatalogEntries; error: unknown; isLoading: boolean } {
  const configs = useRead('configs.show', {})
  const servers = useRead('mcp_servers.list', {})
  const skills = useRead('skills.list', {})
  const hooks = useRead('hooks.list', {})
  const plugins = useRead('plugins.list', {})
  const roots = (configs.data?.agent_roots ?? []).map(rootEntry)
  const pluginEntries: CatalogEntry[] = (plugins.data?.plugins ?? []).map((plugin) => ({
    name: plugin.id,
    title: plugin.title,
    description: plugin.description,
    facts: [
      ...(plugin.version ? [{ label: 'Version', value: plugin.version }] : []),
      ...(plugin.keywords.length > 0 ? [{ label: 'Keywords', value: plugin.keywords.join(', ') }] : []),
    ],
    uses: [
      { kind: 'servers', names: plugin.mcp_servers },
      { kind: 'skills', names: plugin.skills },
      { kind: 'hooks', names: plugin.hooks },
      { kind: 'plugins', names: plugin.plugins },
    ],
    usedBy: [],
  }))
  const users = [
    ...roots.map((entry) => ({ kind: 'roots' as const, entry })),
    ...pluginEntries.map((entry) => ({ kind: 'plugins' as const, entry })),
  ]
  const withUsers = (kind: CatalogKind, entries: readonly CatalogEntry[]): CatalogEntry[] =>
    entries.map((one) => ({
      ...one,
      usedBy: users
        .filter(({ entry }) => entry.uses.some((use) => use.kind === kind && use.names.includes(one.name)))
        .map(({ kind, entry }) => ({ kind, name: entry.name })),
    }))
  const entries: CatalogEntries = {
    roots: withUsers('roots', roots),
    servers: withUsers(
      'servers',
      (servers.data?.mcp_servers ?? []).map(({ name, title, description, unavailable_reason }) => ({
        ...plain({ name, title, description }),
        problem: unavailable_reason ?? undefined,
      })),
    ),
    skills: withUsers(
      'skills',
      (skills.data?.skills ?? []).map(({ id, title, description, category }) => ({
        ...plain({ name: id, title, description }),
        facts: [{ label: 'Category', value: category }],
      })),
    ),
    hooks: withUsers(
      'hooks',
      (hooks.data?.hooks ?? []).map(({ id, title, description, event }) => ({
        ...plain({ name: id, title, description }),
        ...(event === null && { problem: 'Its event is unknown, so it never runs' }),
        facts: [{ label: 'Runs on', value: event ?? 'nothing' }],
      })),
    ),
    plugins: withUsers('plugins', pluginEntries),
  }
  const reads = [configs, servers, skills, hooks, plugins]
  return {
    entries,
    error: reads.find(({ error }) => error)?.error,
    isLoading: reads.some(({ isLoading }) => isLoading),
  }
}

function plain(about: Pick<CatalogEntry, 'name' | 'title' | 'description'>): CatalogEntry {
  return { ...about, facts: [], uses: [], usedBy: [] }
}

function rootEntry(root: Root): CatalogEntry {
  const facts = [
    { label: 'Repository', value: root.url ?? 'each session names one' },
    { label: 'Branch', value: root.default_branch },
    { label: 'Directory', value: root.subdirectory },
    { label: 'Runtime', value: root.default_runtime },
    { label: 'Model', value: root.default_model },
    { label: 'Goal', value: root.default_goal },
    { label: 'Offered to people', value: root.user_invocable ? 'yes' : 'no' },
  ]
  return {
    ...plain({ name: root.name, title: root.display_name, description: root.description }),
    facts: facts.flatMap(({ label, value }) => (value ? [{ label, value }] : [])),
    uses: [
      { kind: 'servers', names: root.default_mcp_servers },
      { kind: 'skills', names: root.default_skills },
      { kind: 'hooks', names: root.default_hooks },
      { kind: 'plugins', names: root.default_plugins },
      { kind: 'roots', names: root.default_subagent_roots },
    ],
  }
}
