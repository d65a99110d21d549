import { isHarmless, ownSecrets } from '../../../platform/process/environment.ts'
import type { KnownSecret } from '../../../platform/redaction/redactor.ts'
import type { CatalogTree } from '../tree.ts'
import { placeholdersIn } from './placeholders.ts'
import type { StoredSecrets } from './secrets-file.ts'

/** The secrets that a catalog can use, by name. */
export type Secrets = {
  /** The stored one, else the environment's; undefined when there is neither. */
  find(name: string): string | undefined
  names(): SecretName[]
  /** What must never be read back from an agent. */
  known(): KnownSecret[]
}

export type SecretName = {
  name: string
  description: string | null
  source: 'file' | 'environment'
  /** Entries of the catalog that hold a placeholder for it, such as `mcp_servers/tracker`. */
  usedBy: readonly string[]
}

/**
 * Of the environment only what the catalog asks for by name is looked at, and never the keys to Yardmaster itself: a
 * catalog entry must not be a way to read them.
 */
export function secretsOf(
  tree: CatalogTree,
  stored: StoredSecrets,
  environment: Readonly<Record<string, string | undefined>>,
): Secrets {
  const uses = usesIn(tree)
  const fromEnvironment = (name: string): string | undefined =>
    uses.has(name) && !ownSecrets.includes(name) ? environment[name] : undefined
  const find = (name: string): string | undefined => stored.get(name)?.value ?? fromEnvironment(name)
  const borrowed = [...uses.keys()].filter((name) => !stored.has(name) && fromEnvironment(name) !== undefined)
  const named = (name: string, source: SecretName['source']): SecretName => ({
    name,
    description: stored.get(name)?.description ?? null,
    source,
    usedBy: uses.get(name) ?? [],
  })
  const names = [
    ...[...stored.keys()].map((name) => named(name, 'file')),
    ...borrowed.map((name) => named(name, 'environment')),
  ].sort((one, other) => (one.name < other.name ? -1 : 1))
  const known = [
    ...[...stored].map(([name, { value }]) => ({ label: `ENV:${name}`, value })),
    ...borrowed.flatMap((name) => {
      const value = fromEnvironment(name)
      return value !== undefined && !isHarmless(name) && isTelling(value) ? [{ label: `ENV:${name}`, value }] : []
    }),
  ]
  return { find, names: () => names, known: () => known }
}

/** Not everything in the environment is a secret: `production`, `8080` and the like stay readable. */
function isTelling(value: string): boolean {
  return value.length >= 12 && !/\s/.test(value) && !/^(?:[a-z]+|[\d.]+)$/i.test(value)
}

/** Who uses which name. */
function usesIn(tree: CatalogTree): Map<string, string[]> {
  const uses = new Map<string, string[]>()
  const add = (user: string, texts: Iterable<string>): void => {
    for (const name of new Set(placeholdersIn(texts).map(({ name }) => name))) {
      uses.set(name, [...(uses.get(name) ?? []), user])
    }
  }
  for (const { name, transport, oauth = {} } of tree.mcpServers.list) {
    const signIn = Object.values(oauth).filter((value) => typeof value === 'string')
    add(`mcp_servers/${name}`, [...textsOf(transport), ...signIn])
  }
  for (const hook of tree.hooks.list) add(`hooks/${hook.name}`, Object.values(hook.env))
  return uses
}

/** Everything in a server's declaration that may hold a placeholder. */
export function textsOf(transport: CatalogTree['mcpServers']['list'][number]['transport']): string[] {
  return transport.kind === 'stdio'
    ? [...transport.args, ...Object.values(transport.env)]
    : [transport.url, ...Object.values(transport.headers)]
}
