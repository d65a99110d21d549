import { constants } from 'node:fs'
import { cp, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { PathRefused } from '../contained-path.ts'
import { removeFolder } from '../files/remove-folder.ts'
import { errnoOf } from '../process/errno.ts'
import { holdsWork } from './agent-clone.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { ownDiskAccess, runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'
import { type Mirror, type Mirrors, openMirrors } from './mirrors.ts'
import { checkRefName } from './ref-name.ts'
import type { RepositoryAddress } from './repository-address.ts'

export type CloneRequest = {
  /** The name of the folder below the root of the clones. We choose it, so a bad name is a fault and not a refusal. */
  name: string
  address: RepositoryAddress
  branch: string
  signal?: AbortSignal
}

export type Clone = {
  /** The real path. A folder at this path always holds a complete clone. */
  path: string
  /** Null when the repository has no commits yet. The branch is then checked out unborn. */
  commit: string | null
}

export type Clones = {
  /** @throws GitFailed; kind `no_such_ref` when the repository has commits but not that branch. */
  create(request: CloneRequest): Promise<Clone>
  /**
   * Whether a clone has anything that its repository does not.
   *
   * @throws GitFailed or UntrustedFile when that cannot be decided.
   */
  holdsWork(path: string): Promise<boolean>
  /** Removes a clone and the leftovers of an interrupted `create`. Idempotent. */
  remove(path: string): Promise<void>
}

/**
 * Working clones, created from the mirrors.
 *
 * Their objects are copies of those of the mirror, which share blocks where the file system can. Hard links would let an
 * agent that edits a pack in place change what other sessions check out, and a clone that borrows (`--shared`) would
 * depend on the mirror. `origin` is the address of the
 * repository without credentials: an agent works in the clone, and a push uses the credentials of the person or program that pushes.
 */
export function openClones(options: {
  root: string
  mirrorsRoot: string
  networkTimeoutMs?: number
  /** Default: every host. */
  hosts?: AllowedHosts
}): Clones {
  const { root, mirrorsRoot, networkTimeoutMs, hosts } = options
  const mirrors = openMirrors({ root: mirrorsRoot, networkTimeoutMs, hosts })
  return {
    create: (request) => create(root, mirrors, request),
    holdsWork: (path) => holdsWork(path, partialOf(path)),
    remove: (path) => remove(root, path),
  }
}

async function create(root: string, mirrors: Mirrors, request: CloneRequest): Promise<Clone> {
  const { address, branch, signal } = request
  const path = await freePath(root, request.name)
  await checkRefName(branch, signal)
  await mirrors.refresh(address, signal)
  const used: { mirror?: Mirror } = {}
  try {
    return await createFromMirror(mirrors, path, request, used)
  } catch (error) {
    // A fetch need not read the objects on which the checkout failed, so the mirror may be damaged.
    if (!(error instanceof GitFailed) || error.kind !== 'unknown' || used.mirror === undefined) throw error
    await mirrors.replace(address, used.mirror, signal)
    return await createFromMirror(mirrors, path, request, used)
  }
}

async function createFromMirror(
  mirrors: Mirrors,
  path: string,
  request: CloneRequest,
  used: { mirror?: Mirror },
): Promise<Clone> {
  const partial = partialOf(path)
  try {
    await removeFolder(partial)
    const commit = await mirrors.read(request.address, request.signal, async (mirror) => {
      used.mirror = mirror
      const tip = await findBranch(mirror, request)
      await copyMirror(mirror, partial, request, tip)
      return tip
    })
    await Promise.all([configure(partial, request, commit), commit === null ? undefined : checkOut(partial, request)])
    await rename(partial, path)
    return { path, commit }
  } finally {
    await removeFolder(partial)
  }
}

/** The commit of the branch, or null when the repository has no commits. */
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
  // A ref name is also a pattern for every ref below it. If the ref exists, there are none below.
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

async function copyMirror(
  mirror: Mirror,
  partial: string,
  { address, branch, signal }: CloneRequest,
  tip: string | null,
) {
  await runGit({
    operation: `Cloning ${address.url}`,
    subcommand: 'clone',
    // Refs and configuration only. git borrows the objects, unless the mirror is shallow.
    options: ['--quiet', '--shared', '--no-checkout', '--template=', ...(tip === null ? [] : [`--branch=${branch}`])],
    operands: [mirror.path, partial],
    access: ownDiskAccess,
    timeoutMs: localTimeoutMs,
    signal,
  })
  const objects = join(partial, '.git', 'objects')
  const borrowed = join(objects, 'info', 'alternates')
  if (!(await exists(borrowed))) return
  await cp(join(mirror.path, 'objects'), objects, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: () => signal?.aborted !== true,
  })
  signal?.throwIfAborted()
  await rm(borrowed)
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
    // HEAD exists already; this fills the index and the folder. Submodules stay empty folders.
    subcommand: 'reset',
    options: ['--hard', '--quiet', '--no-recurse-submodules'],
    cwd: partial,
    timeoutMs: localTimeoutMs,
    signal,
  })
}

/** Enough for the largest working trees on a slow disk. */
const localTimeoutMs = 300_000

async function freePath(root: string, name: string): Promise<string> {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of a clone`)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const path = join(await realpath(root), name)
  if (!(await exists(path))) return path
  throw new GitFailed({
    operation: `Cloning into ${path}`,
    kind: 'refused',
    reason: 'the path already exists',
  })
}

/** Named after the clone, so that the next attempt or the removal finds the leftovers of a killed process. */
function partialOf(path: string): string {
  return `${path}.partial`
}

async function remove(root: string, path: string): Promise<void> {
  const name = basename(path)
  const isPlausible = isAbsolute(path) && !path.includes('\0') && !['', '.', '..'].includes(name)
  const folder = isPlausible ? await realpathIfPresent(dirname(path)) : undefined
  // A folder that does not exist has no leftovers.
  if (isPlausible && folder === undefined) return
  if (folder === undefined || folder !== (await realpathIfPresent(root))) {
    throw new PathRefused('outside', `${JSON.stringify(path)} is not the path of a clone`)
  }
  // The last segment is not resolved: if it is a link, remove the link.
  const clone = join(folder, name)
  for (const leftover of [clone, partialOf(clone)]) await removeFolder(leftover)
}

async function realpathIfPresent(path: string): Promise<string | undefined> {
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
