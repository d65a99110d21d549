import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../platform/log/log.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { KnownSecret } from '../../platform/redaction/redactor.ts'
import { StartupError } from '../../platform/startup-error.ts'
import { type CredentialStates, credentialStates } from './credential-state.ts'
import { loadCatalog } from './files/load-catalog.ts'
import { newReading, type Reading } from './files/reading.ts'
import { type FollowOptions, followFiles } from './follow-files.ts'
import { type Secrets, secretsOf, type Vended } from './secrets/secrets.ts'
import { readSecretsFile, type StoredSecrets } from './secrets/secrets-file.ts'
import type { CatalogTree } from './tree.ts'

/** The loaded catalog. It reloads when its files change. */
export type Catalog = {
  /** The last valid tree. Use one tree for a whole answer, and call again for the next answer. */
  current(): CatalogTree
  status(): CatalogStatus
  secrets(): Secrets
  /** Every value since the start: an agent may still hold one that was replaced. */
  knownSecrets(): readonly KnownSecret[]
  credentialState: CredentialStates
  /** The root to offer first in a list. */
  defaultRootName(): string | undefined
  /** Checks the files for changes now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export type CatalogStatus = {
  name: string
  version: string
  /** True while the files are invalid and the last valid catalog is in use. */
  isDegraded: boolean
  error: string | null
  warnings: readonly string[]
}

export type CatalogOptions = {
  /** The `air.json` or its folder. Undefined for the bundled sample catalog. */
  path: string | undefined
  /** The home folder, which contains `secrets.json`. */
  home: string
  environment: Readonly<Record<string, string | undefined>>
  log: Log
  /** Tokens that take the place of secrets with the same names. */
  vended?: Vended
  /** The root to offer first. Defaults to the first by name, also when the catalog does not have it. */
  defaultRoot?: string | undefined
  /** Looks up the sign-in state of a server; cached. */
  credentialState?: CredentialStates
  follow?: Pick<FollowOptions, 'settleMs' | 'pollMs' | 'isWatching'>
}

/** The path is the same from `src` and from `dist`. */
const sampleCatalog = fileURLToPath(new URL('../../../catalog/air.json', import.meta.url))

const nothingVended: Vended = { find: () => undefined, names: () => [] }

/** Throws if the catalog is invalid at start. After that, an invalid edit keeps the last valid catalog in use. */
export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const { path = sampleCatalog, log, environment, defaultRoot, vended = nothingVended } = options
  const first = await load(options)
  if (!first.tree || !first.stored) throw new StartupError(`The catalog ${path} cannot be used: ${first.error}.`)
  let { tree, stored, marks, error } = first
  let secrets = secretsOf(tree, stored, environment, vended)
  const known = new Map<string, KnownSecret>()
  let knownSecrets: readonly KnownSecret[] = []
  const remember = (): void => {
    for (const secret of secrets.known()) known.set(`${secret.label} ${secret.value}`, secret)
    knownSecrets = [...known.values()]
  }
  remember()
  logCatalog(log, tree, { defaultRoot, level: 'debug' })

  const reload = async (): Promise<void> => {
    const next = await load(options)
    const isNews = next.error === null && (error !== null || next.tree?.version !== tree?.version)
    if (next.error !== null && next.error !== error) {
      log.warn({ error: next.error }, 'the catalog is invalid; keeping the last valid one')
    }
    // Independent of each other: an invalid catalog must not delay a new secret.
    tree = next.tree ?? tree
    stored = next.stored ?? stored
    marks = next.marks
    error = next.error
    secrets = secretsOf(tree, stored, environment, vended)
    remember()
    if (isNews) logCatalog(log, tree, { defaultRoot, level: 'info' })
  }
  const following = followFiles({ marks: () => marks, onChange: reload, log, ...options.follow })
  const current = (): CatalogTree => tree
  return {
    current,
    status: () => ({
      name: tree.name,
      version: tree.version,
      isDegraded: error !== null,
      error,
      warnings: tree.warnings,
    }),
    secrets: () => secrets,
    knownSecrets: () => knownSecrets,
    credentialState: credentialStates(current, options.credentialState),
    defaultRootName: () => {
      const { find, list } = tree.roots
      return (find(defaultRoot ?? '') ?? list.find(({ isUserInvocable }) => isUserInvocable) ?? list[0])?.name
    },
    refresh: following.look,
    close: following.close,
  }
}

type Loaded = {
  marks: ReadonlyMap<string, string>
  tree: CatalogTree | undefined
  stored: StoredSecrets | undefined
  error: string | null
}

async function load({ path = sampleCatalog, home }: CatalogOptions): Promise<Loaded> {
  const reading = newReading()
  // A separate reading, so that secrets do not affect the catalog's version.
  const secretReading = newReading()
  const tree = await loadCatalog(reading, path, { home }).catch((error: unknown) => noteUnreadable(reading, error))
  const stored = await readSecretsFile(secretReading, join(home, 'secrets.json'))
  const problems = [...reading.problems, ...secretReading.problems]
  return {
    marks: new Map([...reading.marks, ...secretReading.marks]),
    tree,
    stored,
    error: problems.length === 0 ? null : joinProblems(problems),
  }
}

/** Records a file that disappeared during the read or is not readable. */
function noteUnreadable(reading: Reading, error: unknown): undefined {
  const code = errnoOf(error)
  if (code === undefined || !(error instanceof Error)) throw error
  reading.problems.push(`${'path' in error ? error.path : 'a file'}: cannot be read (${code})`)
}

/** Limits the list: one wrong folder can cause hundreds of similar problems. */
const maxProblems = 20

function joinProblems(problems: readonly string[]): string {
  const shown = problems.slice(0, maxProblems)
  const more = problems.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

type LogOptions = { defaultRoot: string | undefined; level: 'debug' | 'info' }

function logCatalog(log: Log, tree: CatalogTree, { defaultRoot, level }: LogOptions): void {
  const { name, version, roots, mcpServers, skills, hooks, plugins, goals } = tree
  const count = Object.fromEntries(
    Object.entries({ roots, mcpServers, skills, hooks, plugins, goals }).map(([kind, { list }]) => [kind, list.length]),
  )
  log[level]({ name, version, ...count }, 'catalog loaded')
  for (const warning of tree.warnings) log.warn({ warning }, 'ignored part of the catalog')
  if (defaultRoot !== undefined && !roots.find(defaultRoot)) {
    log.warn({ defaultRoot }, 'DEFAULT_AGENT_ROOT is not a root of the catalog; using the first root by name')
  }
}
