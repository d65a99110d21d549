import { lstat, mkdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { PathRefused } from '../contained-path.ts'
import { errnoOf } from '../process/errno.ts'
import { ownDiskAccess, runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'
import { type Mirror, type Mirrors, openMirrors } from './mirrors.ts'
import { checkRefName } from './ref-name.ts'
import type { RepositoryAddress } from './repository-address.ts'

export type CloneRequest = {
  /** The folder's name under the root of the clones. Ours to choose, so a bad one is a fault, not a refusal. */
  name: string
  address: RepositoryAddress
  branch: string
  signal?: AbortSignal
}

export type Clone = {
  /** The real path. If there is a folder at this path, the clone in it is whole. */
  path: string
  /** Null when the repository has no commits yet: the branch is then checked out unborn, ready for the first one. */
  commit: string | null
}

export type Clones = {
  /** @throws GitFailed; of kind `no_such_ref` when the repository has commits but not that branch. */
  create(request: CloneRequest): Promise<Clone>
  /** Removes a clone and whatever an interrupted `create` left of it. Removing it again is harmless. */
  remove(path: string): Promise<void>
}

/**
 * Working clones, made from the mirrors.
 *
 * Their objects are hard links to the mirror's: as fast and small as borrowing them (`--shared`), but a clone stands by
 * itself, whatever becomes of the mirror. Across file systems git copies instead. `origin` is the repository's address
 * without credentials: pushing is for the credentials of whoever pushes, and a clone is in the hands of an agent.
 */
export function openClones(options: { root: string; mirrorsRoot: string; networkTimeoutMs?: number }): Clones {
  const { root, mirrorsRoot, networkTimeoutMs } = options
  const mirrors = openMirrors({ root: mirrorsRoot, networkTimeoutMs })
  return {
    create: (request) => create(root, mirrors, request),
    remove: (path) => remove(root, path),
  }
}

async function create(root: string, mirrors: Mirrors, request: CloneRequest): Promise<Clone> {
  const { address, branch, signal } = request
  const path = await freePath(root, request.name)
  await checkRefName(branch, signal)
  await mirrors.refresh(address, signal)
  const seen: { mirror?: Mirror } = {}
  try {
    return await createFromMirror(mirrors, path, request, seen)
  } catch (error) {
    // Fetching may have had no reason to look at the objects that checking out has stumbled over.
    if (!(error instanceof GitFailed) || error.kind !== 'unknown' || seen.mirror === undefined) throw error
    await mirrors.replace(address, seen.mirror, signal)
    return await createFromMirror(mirrors, path, request, seen)
  }
}

async function createFromMirror(
  mirrors: Mirrors,
  path: string,
  request: CloneRequest,
  seen: { mirror?: Mirror },
): Promise<Clone> {
  const partial = partialOf(path)
  try {
    await rm(partial, { recursive: true, force: true, maxRetries: 3 })
    const commit = await mirrors.read(request.address, request.signal, async (mirror) => {
      seen.mirror = mirror
      const tip = await findBranch(mirror, request)
      await linkClone(mirror, partial, request, tip)
      return tip
    })
    await configure(partial, request, commit)
    if (commit !== null) await checkOut(partial, request)
    await rename(partial, path)
    return { path, commit }
  } finally {
    await rm(partial, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The branch's commit, or null when there are no commits at all. */
async function findBranch(mirror: Mirror, { address, branch, signal }: CloneRequest): Promise<string | null> {
  const list = async (options: readonly string[], operands?: readonly string[]) =>
    runGit({
      operation: `Looking for branch ${branch} of ${address.url}`,
      subcommand: 'for-each-ref',
      options,
      operands,
      gitDir: mirror.path,
      timeoutMs: localTimeoutMs,
      signal,
    })
  const ref = `refs/heads/${branch}`
  // A ref's name is also the pattern for everything below it; no ref can be below one that exists.
  const found = (await list(['--format=%(objectname) %(refname)'], [ref]))
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`))
  if (found !== undefined) return found.slice(0, found.indexOf(' '))
  if ((await list(['--count=1'])) === '') return null
  throw new GitFailed({
    operation: `Cloning ${address.url}`,
    kind: 'no_such_ref',
    reason: `there is no branch ${branch} in ${address.url}`,
  })
}

async function linkClone(
  mirror: Mirror,
  partial: string,
  { address, branch, signal }: CloneRequest,
  tip: string | null,
) {
  await runGit({
    operation: `Cloning ${address.url}`,
    subcommand: 'clone',
    // No `--local`: with it git would give up where it cannot link, instead of copying.
    options: ['--quiet', '--no-checkout', '--template=', ...(tip === null ? [] : [`--branch=${branch}`])],
    operands: [mirror.path, partial],
    access: ownDiskAccess,
    timeoutMs: localTimeoutMs,
    signal,
  })
}

async function configure(
  partial: string,
  { address, branch, signal }: CloneRequest,
  commit: string | null,
): Promise<void> {
  const run = (subcommand: string, ...operands: string[]) =>
    runGit({
      operation: `Setting up the clone of ${address.url}`,
      subcommand,
      operands,
      cwd: partial,
      timeoutMs: localTimeoutMs,
      signal,
    })
  await run('config', 'remote.origin.url', address.url)
  if (commit !== null) return
  await run('symbolic-ref', 'HEAD', `refs/heads/${branch}`)
  await run('config', `branch.${branch}.remote`, 'origin')
  await run('config', `branch.${branch}.merge`, `refs/heads/${branch}`)
}

async function checkOut(partial: string, { address, branch, signal }: CloneRequest): Promise<void> {
  await runGit({
    operation: `Checking out ${branch} of ${address.url}`,
    // HEAD is there already; this fills the empty index and folder. Submodules stay what they are: empty folders.
    subcommand: 'reset',
    options: ['--hard', '--quiet', '--no-recurse-submodules'],
    cwd: partial,
    timeoutMs: localTimeoutMs,
    signal,
  })
}

/** For the largest of working trees on a slow disk. */
const localTimeoutMs = 300_000

async function freePath(root: string, name: string): Promise<string> {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of a clone`)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const path = join(await realpath(root), name)
  if (!(await exists(path))) return path
  throw new GitFailed({
    operation: `Cloning into ${path}`,
    kind: 'refused',
    reason: 'something is at this path already',
  })
}

/** Named after the clone, so that the next attempt, or its removal, finds what a killed process left. */
function partialOf(path: string): string {
  return `${path}.partial`
}

async function remove(root: string, path: string): Promise<void> {
  const name = basename(path)
  const isPlausible = isAbsolute(path) && !path.includes('\0') && !['', '.', '..'].includes(name)
  const folder = isPlausible ? await realpathOrNothing(dirname(path)) : undefined
  // Nothing can be left in a folder that is gone.
  if (isPlausible && folder === undefined) return
  if (folder === undefined || folder !== (await realpathOrNothing(root))) {
    throw new PathRefused('outside', `${JSON.stringify(path)} is not the path of a clone`)
  }
  // The name itself is not resolved: should it be a link, the link is what goes.
  const clone = join(folder, name)
  for (const leftover of [clone, partialOf(clone)]) await rm(leftover, { recursive: true, force: true, maxRetries: 3 })
}

async function realpathOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}
