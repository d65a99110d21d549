import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FileLockTimeout, withFileLock } from '../concurrency/file-lock.ts'
import { keyedMutex } from '../concurrency/mutex.ts'
import { singleFlight } from '../concurrency/single-flight.ts'
import { errnoOf } from '../process/errno.ts'
import { type AllowedHosts, allHosts } from './allowed-hosts.ts'
import { asOwner } from './as-owner.ts'
import { type GitAccess, noAccess, runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'
import { remoteAccess } from './remote-access.ts'
import type { RepositoryAddress } from './repository-address.ts'

/** The folder of a mirror, and an id that changes when the mirror at this path is replaced. */
export type Mirror = { path: string; edition: string | undefined }

export type Mirrors = {
  /**
   * Updates the mirror to the current state of its repository, creating it if necessary. Every clone calls this first,
   * with its own credentials: a mirror never gives access to code that those credentials do not, nor serves stale code.
   */
  refresh(address: RepositoryAddress, signal?: AbortSignal): Promise<void>
  /** Runs `work` while holding the lock on the mirror. Keep it short: other callers wait. */
  read<T>(address: RepositoryAddress, signal: AbortSignal | undefined, work: (mirror: Mirror) => Promise<T>): Promise<T>
  /** Rebuilds the mirror, unless it has been replaced since `broken` was read. */
  replace(address: RepositoryAddress, broken: Mirror, signal?: AbortSignal): Promise<void>
}

/**
 * One bare mirror per repository. A mirror holds nothing that its repository does not, so it is expendable: on any
 * damage it is rebuilt beside the old one and swapped in when complete.
 */
export function openMirrors(options: { root: string; networkTimeoutMs?: number; hosts?: AllowedHosts }): Mirrors {
  const { root, networkTimeoutMs = networkDefaultTimeoutMs, hosts = allHosts } = options
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

  /** First the mutex within this process, which is cheap and fair, then the lock between processes. */
  function exclusively<T>(
    address: RepositoryAddress,
    signal: AbortSignal | undefined,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    return mutex(address.mirrorKey, signal, async () => {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const lock = join(root, `${address.mirrorKey}.lock`)
      // The holder has the same deadline as we do. After twice that time it is stuck.
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
      await repack(address, path, signal)
    } catch (error) {
      // Every failure of the remote side has a kind. Without one, the mirror itself is probably damaged.
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
        ...(await asOwner(address)),
      ],
      // Branches and tags only: forges keep a ref for every pull request under `refs/*`.
      operands: [address.url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
      gitDir: path,
      access: withPacksOnly(await remoteAccess(address, { hosts, signal })),
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
        // `--no-local`: a local clone would link to files that another user can change, and follow links in that
        // folder.
        options: ['--bare', '--quiet', '--no-local', '--template=', ...(await asOwner(address))],
        operands: [address.url, building],
        access: withPacksOnly(await remoteAccess(address, { hosts, signal })),
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

/** The limit Gitea has for a migration. The agent cannot start before, so a person is waiting. */
const networkDefaultTimeoutMs = 600_000

/** Removes what a killed process left half built or half removed. We hold the lock, so no process uses it. */
async function sweepLeftovers(path: string): Promise<void> {
  const folder = join(path, '..')
  const leftovers = (await readdir(folder)).filter((name) =>
    [`${basename(path)}.building-`, `${basename(path)}.discarded-`].some((prefix) => name.startsWith(prefix)),
  )
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })))
}

/** Each fetch with changes adds a pack. Every clone copies all packs, and every lookup opens them. */
const packsMaxCount = 50

/** Merges small packs and leaves large ones alone, so that it stays fast. It drops no objects. */
async function repack(address: RepositoryAddress, path: string, signal: AbortSignal): Promise<void> {
  if ((await countPacks(path)) <= packsMaxCount) return
  await runGit({
    operation: `Repacking the mirror of ${address.url}`,
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
    // git creates this folder on first use.
    if (errnoOf(error) === 'ENOENT') return 0
    throw error
  }
}

/** Otherwise git unpacks small fetches into single files, each of which a clone has to copy. */
function withPacksOnly(access: GitAccess): GitAccess {
  return { ...access, settings: [...(access.settings ?? []), 'fetch.unpackLimit=1'] }
}

/** A replacement is created while the old folder still exists, so their inodes differ. */
async function editionOf(path: string): Promise<string | undefined> {
  try {
    return String((await stat(path, { bigint: true })).ino)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Callers share a run only if they have the same credentials. */
function credentialsDigest({ credentials }: RepositoryAddress): string {
  return createHash('sha256')
    .update(JSON.stringify(credentials ?? null))
    .digest('hex')
}
