import type { ArtifactLists } from '@yardmaster/contract/catalog/fields'
import { placeholdersIn } from './secrets/placeholders.ts'
import { textsOf } from './secrets/secrets.ts'
import type { Artifact, CatalogTree, Root, Shelf } from './tree.ts'

/** The four artifact lists of a session: the catalog kind, the root's default list and the noun in messages. */
const lists = {
  mcp_servers: { shelf: (tree: CatalogTree) => tree.mcpServers, ofRoot: 'defaultMcpServers', word: 'server' },
  catalog_skills: { shelf: (tree: CatalogTree) => tree.skills, ofRoot: 'defaultSkills', word: 'skill' },
  catalog_hooks: { shelf: (tree: CatalogTree) => tree.hooks, ofRoot: 'defaultHooks', word: 'hook' },
  catalog_plugins: { shelf: (tree: CatalogTree) => tree.plugins, ofRoot: 'defaultPlugins', word: 'plugin' },
} as const satisfies Record<
  keyof ArtifactLists,
  { shelf: (tree: CatalogTree) => Shelf<Artifact>; ofRoot: keyof Root; word: string }
>

export type ArtifactList = keyof typeof lists
const artifactLists = Object.keys(lists) as ArtifactList[] // a record's keys are its type's

/** The catalog artifacts of a session, by shown name. */
export type Selection = Record<ArtifactList, string[]>

/** A given list applies, even if empty; otherwise the root's default does. Unknown names are problems. */
export function selectArtifacts(
  tree: CatalogTree,
  asked: { [list in ArtifactList]?: readonly string[] | null | undefined },
  root: Root | undefined,
): { selection: Selection; problems: string[] } {
  const selection: Selection = { mcp_servers: [], catalog_skills: [], catalog_hooks: [], catalog_plugins: [] }
  const problems: string[] = []
  for (const list of artifactLists) {
    const given = asked[list]
    const { known, unknown } = given
      ? lookUp(tree, list, given)
      : { known: [...(root?.[lists[list].ofRoot] ?? [])], unknown: [] }
    selection[list] = known
    if (unknown.length > 0) {
      problems.push(`${heading(list)} contains invalid ${lists[list].word}(s): ${unknown.join(', ')}`)
    }
  }
  return { selection, problems }
}

/** Yardmaster's own MCP servers. Every agent has them, so naming one is accepted and has no effect. */
export const serviceServers = { ownSession: 'yardmaster-self-session', subagents: 'yardmaster' }

/** Drops blanks and duplicates. */
export function lookUp(
  tree: CatalogTree,
  list: ArtifactList,
  given: readonly string[],
): { known: string[]; unknown: string[] } {
  const asked = [...new Set(given.map((name) => name.trim()).filter(Boolean))]
  const shelf: Shelf<Artifact> = lists[list].shelf(tree)
  const isGivenAnyway = (name: string): boolean =>
    list === 'mcp_servers' && Object.values(serviceServers).includes(name)
  return {
    known: [...new Set(asked.flatMap((name) => shelf.find(name)?.name ?? []))],
    unknown: asked
      .filter((name) => !shelf.find(name) && !isGivenAnyway(name))
      .map((name) => Array.from(name).slice(0, 100).join('')),
  }
}

/** The selected servers, then those of each plugin. A plugin that left the catalog adds none. */
export function serversOf(tree: CatalogTree, selection: Pick<Selection, 'mcp_servers' | 'catalog_plugins'>): string[] {
  const bundled = selection.catalog_plugins.flatMap((name) => tree.plugins.find(name)?.mcpServers ?? [])
  return [...new Set([...selection.mcp_servers, ...bundled])]
}

/** The names of the placeholders in everything that is selected. */
export function namesUsedBy(tree: CatalogTree, selection: Selection): string[] {
  const servers = serversOf(tree, selection).flatMap((name) => tree.mcpServers.find(name) ?? [])
  const bundled = selection.catalog_plugins.flatMap((name) => tree.plugins.find(name)?.hooks ?? [])
  const hooks = [...selection.catalog_hooks, ...bundled].flatMap((name) => tree.hooks.find(name) ?? [])
  const texts = [
    ...servers.flatMap(({ transport }) => textsOf(transport)),
    ...hooks.flatMap(({ env }) => Object.values(env)),
  ]
  return [...new Set(placeholdersIn(texts).map(({ name }) => name))]
}

/** `mcp_servers` reads as `Mcp servers`. */
function heading(list: ArtifactList): string {
  return list[0]?.toUpperCase() + list.slice(1).replaceAll('_', ' ')
}
