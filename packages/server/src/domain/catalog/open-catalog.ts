import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../platform/log/log.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { KnownSecret } from '../../platform/redaction/redactor.ts'
import { StartupError } from '../../platform/startup-error.ts'
import { type CredentialState, type CredentialStates, credentialStates } from './credential-state.ts'
import { loadCatalog } from './files/load-catalog.ts'
import { newReading, type Reading } from './files/reading.ts'
import { type FollowOptions, followFiles } from './follow-files.ts'
import { type Secrets, secretsOf } from './secrets/secrets.ts'
import { readSecretsFile, type StoredSecrets } from './secrets/secrets-file.ts'
import type { CatalogTree } from './tree.ts'

/** The catalog in force, which follows its files. */
export type Catalog = {
  /** The last tree that was whole. Hold on to it for as long as one answer takes, and ask again for the next. */
  current(): CatalogTree
  status(): CatalogStatus
  secrets(): Secrets
  /** Every value that was ever in force: an agent may still hold one that has been replaced. */
  knownSecrets(): readonly KnownSecret[]
  credentialState(serverName: string): Promise<CredentialState>
  /** The root that stands first where one has to be chosen. */
  defaultRootName(): string | undefined
  /** Looks at the files now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export type CatalogStatus = {
  name: string
  version: string
  /** Whether the files as they are now cannot be used, so that what was loaded before still counts. */
  isDegraded: boolean
  error: string | null
  warnings: readonly string[]
}

export type CatalogOptions = {
  /** The `air.json`, or the folder it is in. Undefined: the sample that ships with us. */
  path: string | undefined
  /** The home folder, where `secrets.json` is. */
  home: string
  environment: Readonly<Record<string, string | undefined>>
  log: Log
  /** The name of the root that is offered first; without it, or where it is not in the catalog, the first by name. */
  defaultRoot?: string | undefined
  /** What is known of the sign-in at a server; asked seldom. */
  credentialState?: CredentialStates
  follow?: Pick<FollowOptions, 'settleMs' | 'pollMs' | 'isWatching'>
}

/** The folder stands at the same depth above the sources and above the build. */
const sampleCatalog = fileURLToPath(new URL('../../../catalog/air.json', import.meta.url))

/** Refuses to start on a catalog that cannot be used. Once started, a broken edit leaves the last good one in force. */
export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const { path = sampleCatalog, log, environment, defaultRoot } = options
  const first = await load(options)
  if (!first.tree || !first.stored) throw new StartupError(`The catalog ${path} cannot be used: ${first.error}.`)
  let { tree, stored, marks, error } = first
  let secrets = secretsOf(tree, stored, environment)
  const known = new Map<string, KnownSecret>()
  let knownSecrets: readonly KnownSecret[] = []
  const remember = (): void => {
    for (const secret of secrets.known()) known.set(`${secret.label} ${secret.value}`, secret)
    knownSecrets = [...known.values()]
  }
  remember()
  tell(log, tree, { defaultRoot, level: 'debug' })

  const reload = async (): Promise<void> => {
    const next = await load(options)
    const isNews = next.error === null && (error !== null || next.tree?.version !== tree?.version)
    if (next.error !== null && next.error !== error) {
      log.warn({ error: next.error }, 'the catalog cannot be used as it is now; the last good one stays in force')
    }
    // Each for itself: a mistake in one file does not hold up a new secret in the other.
    tree = next.tree ?? tree
    stored = next.stored ?? stored
    marks = next.marks
    error = next.error
    secrets = secretsOf(tree, stored, environment)
    remember()
    if (isNews) tell(log, tree, { defaultRoot, level: 'info' })
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
    defaultRootName: () => (tree.roots.find(defaultRoot ?? '') ?? tree.roots.list[0])?.name,
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
  // Apart, so that secrets are no part of the catalog's version.
  const secretReading = newReading()
  const tree = await loadCatalog(reading, path, { home }).catch((error: unknown) => noteUnreadable(reading, error))
  const stored = await readSecretsFile(secretReading, join(home, 'secrets.json'))
  const problems = [...reading.problems, ...secretReading.problems]
  return {
    marks: new Map([...reading.marks, ...secretReading.marks]),
    tree,
    stored,
    error: problems.length === 0 ? null : together(problems),
  }
}

/** What was there a moment ago and is gone, or is not for us to read. */
function noteUnreadable(reading: Reading, error: unknown): undefined {
  const code = errnoOf(error)
  if (code === undefined || !(error instanceof Error)) throw error
  reading.problems.push(`${'path' in error ? error.path : 'a file'}: cannot be read (${code})`)
}

/** A catalog with a wrong folder in it has hundreds of problems of one kind. */
const maxProblems = 20

function together(problems: readonly string[]): string {
  const shown = problems.slice(0, maxProblems)
  const more = problems.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

type Telling = { defaultRoot: string | undefined; level: 'debug' | 'info' }

function tell(log: Log, tree: CatalogTree, { defaultRoot, level }: Telling): void {
  const { name, version, roots, mcpServers, skills, hooks, plugins, goals } = tree
  const count = Object.fromEntries(
    Object.entries({ roots, mcpServers, skills, hooks, plugins, goals }).map(([kind, { list }]) => [kind, list.length]),
  )
  log[level]({ name, version, ...count }, 'catalog loaded')
  for (const warning of tree.warnings) log.warn({ warning }, 'the catalog has something that is ignored')
  if (defaultRoot !== undefined && !roots.find(defaultRoot)) {
    log.warn({ defaultRoot }, 'DEFAULT_AGENT_ROOT names no root of the catalog; the first by name is offered first')
  }
}
