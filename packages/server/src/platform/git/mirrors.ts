import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FileLockTimeout, withFileLock } from '../concurrency/file-lock.ts'
import { keyedMutex } from '../concurrency/mutex.ts'
import { singleFlight } from '../concurrency/single-flight.ts'
import { errnoOf } from '../process/errno.ts'
import { type GitAccess, noAccess, runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'
import { remoteAccess } from './remote-access.ts'
import type { RepositoryAddress } from './repository-address.ts'

/** The folder of a mirror, and which of those that have stood at this path it is. */
export type Mirror = { path: string; edition: string | undefined }

export type Mirrors = {
  /**
   * Brings the mirror up to what its repository is now, and makes it if need be. Every clone asks for this first, with
   * the credentials it was given: a mirror is never a way to code that those do not open, nor to yesterday's.
   */
  refresh(address: RepositoryAddress, signal?: AbortSignal): Promise<void>
  /** Runs `work` while nobody changes the mirror. Keep it short: others wait. */
  read<T>(address: RepositoryAddress, signal: AbortSignal | undefined, work: (mirror: Mirror) => Promise<T>): Promise<T>
  /** Builds the mirror anew, unless someone has done so since `broken` was read. */
  replace(address: RepositoryAddress, broken: Mirror, signal?: AbortSignal): Promise<void>
}

/**
 * One bare mirror for each repository. It holds nothing that its repository does not, so it may be lost at any time:
 * whatever seems wrong with one, the remedy is to build it again, beside the old one, and to put it in its place whole.
 */
export function openMirrors(options: { root: string; networkTimeoutMs?: number }): Mirrors {
  const { root, networkTimeoutMs = networkDefaultTimeoutMs } = options
  const mutex = keyedMutex()
  const joinRefresh = singleFlight()

  return {
    refresh: (address, signal) =>
      joinRefresh(`${address.mirrorKey} ${credentialsDigest(address)}`, signal, (run) =>
        exclusively(address, run.signal, async (path) => {
          run.begin()
          await refresh(address, path, run.signal)
        }),
      ),
    read: (address, signal, work) =>
      exclusively(address, signal, async (path) => work({ path, edition: await editionOf(path) })),
    replace: (address, broken, signal) =>
      exclusively(address, signal, async (path) => {
        if ((await editionOf(path)) === broken.edition) await build(address, path, signal)
      }),
  }

  /** In this process first, where waiting costs nothing and has an order; then among processes. */
  function exclusively<T>(
    address: RepositoryAddress,
    signal: AbortSignal | undefined,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    return mutex(address.mirrorKey, signal, async () => {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const lock = join(root, `${address.mirrorKey}.lock`)
      // Whoever holds it has the same deadline as we; twice that, and it is not working any more.
      const waiting = { signal, timeoutMs: 2 * networkTimeoutMs }
      return withFileLock(lock, waiting, () => work(join(root, `${address.mirrorKey}.git`))).catch((error) => {
        if (!(error instanceof FileLockTimeout)) throw error
        throw new GitFailed({
          operation: `Waiting for the mirror of ${address.url}`,
          kind: 'timeout',
          reason: error.message,
        })
      })
    })
  }

  async function refresh(address: RepositoryAddress, path: string, signal: AbortSignal): Promise<void> {
    await sweepLeftovers(path)
    if ((await editionOf(path)) === undefined) return build(address, path, signal)
    try {
      await fetchInto(address, path, signal)
      await tidy(address, path, signal)
    } catch (error) {
      // Every trouble with the other side has a kind. What has none is likely to be the mirror's own.
      if (!(error instanceof GitFailed) || error.kind !== 'unknown') throw error
      await build(address, path, signal)
    }
  }

  async function fetchInto(address: RepositoryAddress, path: string, signal: AbortSignal): Promise<void> {
    await runGit({
      operation: `Fetching ${address.url}`,
      subcommand: 'fetch',
      options: [
        '--quiet',
        '--prune',
        '--no-tags',
        '--update-shallow',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
      ],
      // Branches and tags, not `refs/*`: forges keep a ref for every pull request there ever was.
      operands: [address.url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
      gitDir: path,
      access: withPacksOnly(await remoteAccess(address, signal)),
      isStrict: true,
      timeoutMs: networkTimeoutMs,
      signal,
    })
  }

  async function build(address: RepositoryAddress, path: string, signal: AbortSignal | undefined): Promise<void> {
    const building = `${path}.building-${randomUUID()}`
    const discarded = `${path}.discarded-${randomUUID()}`
    try {
      await runGit({
        operation: `Cloning ${address.url}`,
        subcommand: 'clone',
        // Not the local way, which would link to files that someone else may change and follow links they made.
        options: ['--bare', '--quiet', '--no-local', '--template='],
        operands: [address.url, building],
        access: withPacksOnly(await remoteAccess(address, signal)),
        timeoutMs: networkTimeoutMs,
        signal,
      })
      if ((await editionOf(path)) !== undefined) await rename(path, discarded)
      await rename(building, path)
    } finally {
      await Promise.all(
        [building, discarded].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })),
      )
    }
  }
}

/** As long as Gitea gives a migration; an agent cannot start before, so a person is waiting. */
const networkDefaultTimeoutMs = 600_000

/** What a process that was killed left half built or half removed. We hold the lock, so nobody is at work on it. */
async function sweepLeftovers(path: string): Promise<void> {
  const folder = join(path, '..')
  const leftovers = (await readdir(folder)).filter((name) =>
    [`${basename(path)}.building-`, `${basename(path)}.discarded-`].some((beginning) => name.startsWith(beginning)),
  )
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })))
}

/** Each fetch that brings something adds a pack, and every clone links, and every lookup opens, all of them. */
const packsMaxCount = 50

/** Joins the small packs and leaves large ones alone, so that it never takes long. Nothing is ever lost by it. */
async function tidy(address: RepositoryAddress, path: string, signal: AbortSignal): Promise<void> {
  if ((await countPacks(path)) <= packsMaxCount) return
  await runGit({
    operation: `Tidying the mirror of ${address.url}`,
    subcommand: 'repack',
    options: ['--quiet', '-d', '--geometric=2'],
    gitDir: path,
    access: noAccess,
    timeoutMs: 300_000,
    signal,
  })
}

async function countPacks(path: string): Promise<number> {
  try {
    return (await readdir(join(path, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length
  } catch (error) {
    // git makes this folder when it first needs it.
    if (errnoOf(error) === 'ENOENT') return 0
    throw error
  }
}

/** Small fetches would otherwise be unpacked into single files, each of which a clone has to link. */
function withPacksOnly(access: GitAccess): GitAccess {
  return { ...access, settings: [...(access.settings ?? []), 'fetch.unpackLimit=1'] }
}

/** A folder that replaces another was made while that one still stood, so the two differ in their inode. */
async function editionOf(path: string): Promise<string | undefined> {
  try {
    return String((await stat(path, { bigint: true })).ino)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** A run is shared only by those whom the other side would treat alike. */
function credentialsDigest({ credentials }: RepositoryAddress): string {
  return createHash('sha256')
    .update(JSON.stringify(credentials ?? null))
    .digest('hex')
}
