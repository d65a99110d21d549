import { isHarmless, ownSecrets } from '../../../platform/process/environment.ts'
import type { KnownSecret } from '../../../platform/redaction/redactor.ts'
import type { CatalogTree } from '../tree.ts'
import { placeholdersIn } from './placeholders.ts'
import type { StoredSecrets } from './secrets-file.ts'

/** The secrets that a catalog can use, by name. */
export type Secrets = {
  /** A vended token, or else the stored value, or else the environment's; undefined if there is none. */
  find(name: string): string | undefined
  names(): SecretName[]
  /** Values to redact from everything that an agent prints. */
  known(): KnownSecret[]
}

export type SecretName = {
  name: string
  description: string | null
  source: 'social_credential' | 'file' | 'environment'
  /** Catalog entries with a placeholder for it, such as `mcp_servers/tracker`. */
  usedBy: readonly string[]
}

/** Tokens that are refreshed by themselves, as they are now. */
export type Vended = { find(name: string): string | undefined; names(): readonly string[] }

/**
 * Reads only the environment variables that the catalog names, and never Yardmaster's own keys: a catalog entry must not
 * expose them.
 */
export function secretsOf(
  tree: CatalogTree,
  stored: StoredSecrets,
  environment: Readonly<Record<string, string | undefined>>,
  vended: Vended,
): Secrets {
  const uses = usesIn(tree)
  const fromEnvironment = (name: string): string | undefined =>
    uses.has(name) && !ownSecrets.includes(name) ? environment[name] : undefined
  const find = (name: string): string | undefined =>
    vended.find(name) ?? stored.get(name)?.value ?? fromEnvironment(name)
  const borrowed = [...uses.keys()].filter((name) => !stored.has(name) && fromEnvironment(name) !== undefined)
  const named = (name: string, source: SecretName['source']): SecretName => ({
    name,
    description: stored.get(name)?.description ?? null,
    source,
    usedBy: uses.get(name) ?? [],
  })
  const own = [
    ...[...stored.keys()].map((name) => named(name, 'file')),
    ...borrowed.map((name) => named(name, 'environment')),
  ]
  const names = (): SecretName[] => {
    const tokens = vended.names().map((name) => named(name, 'social_credential'))
    const others = own.filter(({ name }) => vended.find(name) === undefined)
    return [...tokens, ...others].sort((one, other) => (one.name < other.name ? -1 : 1))
  }
  const known = [
    ...[...stored].map(([name, { value }]) => ({ label: `ENV:${name}`, value })),
    ...borrowed.flatMap((name) => {
      const value = fromEnvironment(name)
      return value !== undefined && !isHarmless(name) && isTelling(value) ? [{ label: `ENV:${name}`, value }] : []
    }),
  ]
  return { find, names, known: () => known }
}

/** Excludes ordinary environment values from redaction, such as `production` or `8080`. */
function isTelling(value: string): boolean {
  return value.length >= 12 && !/\s/.test(value) && !/^(?:[a-z]+|[\d.]+)$/i.test(value)
}

/** The catalog entries that use each name. */
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

/** The parts of a server's declaration that may contain a placeholder. */
export function textsOf(transport: CatalogTree['mcpServers']['list'][number]['transport']): string[] {
  return transport.kind === 'stdio'
    ? [...transport.args, ...Object.values(transport.env)]
    : [transport.url, ...Object.values(transport.headers)]
}
