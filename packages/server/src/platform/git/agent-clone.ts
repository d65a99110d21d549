import { appendFile, lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openUntrusted, readUntrusted, UntrustedFile } from '../files/untrusted-file.ts'
import { listUntrusted } from '../files/untrusted-folder.ts'
import { errnoOf } from '../process/errno.ts'
import { noAccess, runGit } from './git.ts'

/**
 * What we ask about a clone that an agent has had. Its `.git` is hostile: the configuration names programs that git runs
 * (`filter.*.clean`, `gpg.program`, `core.fsmonitor`, ...), and any file there may be a pipe or a link. So git never reads
 * it. We make a git folder of our own, with a configuration of our own, copy into it what is plain data (refs, index,
 * ignore rules) and borrow the objects.
 */

/**
 * Whether the clone has anything that its repository does not: changes, commits, stashes, a populated submodule.
 *
 * @throws GitFailed or UntrustedFile when that cannot be decided.
 */
export async function holdsWork(clone: string, scratch: string): Promise<boolean> {
  try {
    const refs = await copyGitFolder(clone, scratch)
    if (refs.has('refs/stash')) return true
    return (
      (await hasSubmodule(clone, scratch)) || (await hasChanges(clone, scratch)) || (await hasCommits(scratch, refs))
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const headFile = 'HEAD'
const detached = /^[0-9a-f]{40,64}$/

/** Returns the refs, and the commit of a detached HEAD under `HEAD`. */
async function copyGitFolder(clone: string, scratch: string): Promise<Map<string, string>> {
  const git = join(clone, '.git')
  await checkFolder(git, '.git')
  await checkFolder(join(git, 'objects'), '.git/objects')
  // It would have git read objects of other repositories. Clones of ours have none.
  if (await exists(join(git, 'objects/info/alternates')))
    throw new UntrustedFile('.git/objects/info/alternates borrows objects')
  await rm(scratch, { recursive: true, force: true })
  for (const folder of ['objects/info', 'refs', 'info']) {
    await mkdir(join(scratch, folder), { recursive: true, mode: 0o700 })
  }
  const refs = await readRefs(git)
  const head = (await readUntrusted(join(git, headFile), { within: clone }))?.trim() ?? ''
  if (!detached.test(head) && !/^ref: refs\/heads\/[^\s\p{Cc}]+$/u.test(head))
    throw new UntrustedFile('.git/HEAD names no branch and no commit')
  const ids = [...refs.values(), ...(detached.test(head) ? [head] : [])]
  await Promise.all([
    writeFile(join(scratch, headFile), `${head}\n`),
    writeFile(join(scratch, 'config'), configuration(ids.some((id) => id.length === sha256Length))),
    writeFile(join(scratch, 'packed-refs'), [...refs].map(([name, id]) => `${id} ${name}\n`).join('')),
    writeFile(join(scratch, 'objects/info/alternates'), `${join(git, 'objects')}\n`),
    ...['index', 'shallow', 'info/exclude'].map((name) => copy(join(git, name), join(scratch, name), clone)),
  ])
  return detached.test(head) ? new Map([...refs, [headFile, head]]) : refs
}

const sha256Length = 64

function configuration(isSha256: boolean): string {
  const core = '[core]\n\tbare = false\n\tcommitGraph = false\n'
  return isSha256
    ? `${core}\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n`
    : `${core}\trepositoryformatversion = 0\n`
}

/** Single files take precedence over the packed ones. Symbolic refs other than HEAD only repeat another ref. */
async function readRefs(git: string): Promise<Map<string, string>> {
  const packed = (await readUntrusted(join(git, 'packed-refs'), { within: git, maxBytes: maxFileBytes })) ?? ''
  const refs = new Map<string, string>()
  const add = (name: string, id: string): void => {
    if (!/^refs\/[^\s\p{Cc}]+$/u.test(name)) throw new UntrustedFile('.git has a ref with an unusual name')
    if (!detached.test(id)) throw new UntrustedFile('.git has a ref without a commit')
    refs.set(name, id)
  }
  for (const line of packed.split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? []
    if (id !== undefined && name !== undefined) add(name, id)
  }
  const folders = ['refs']
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { name, isFolder } of await listUntrusted(join(git, folder), { within: git })) {
      const path = `${folder}/${name}`
      const id = isFolder ? undefined : (await readUntrusted(join(git, path), { within: git }))?.trim()
      if (isFolder) folders.push(path)
      else if (id !== undefined && !id.startsWith('ref: ')) add(path, id)
    }
  }
  return refs
}

/** An index of two million files. */
const maxFileBytes = 256 * 1024 * 1024

async function copy(from: string, to: string, within: string): Promise<void> {
  const file = await openUntrusted(from, { within, maxBytes: maxFileBytes })
  if (!file) return
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024)
    await writeFile(to, '')
    for (let position = 0; position <= maxFileBytes; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      await appendFile(to, buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    // git compares the content only of files that are not older than the index. A newer index would hide a change that was
    // made in the second of a checkout.
    const { atime, mtime } = await file.stat()
    await utimes(to, atime, mtime)
  } finally {
    await file.close()
  }
}

/**
 * git would run in a submodule with the submodule's own configuration, so `hasChanges` leaves submodules out. We clone
 * none: one that is there is the agent's.
 */
async function hasSubmodule(clone: string, scratch: string): Promise<boolean> {
  const entries = (await git(clone, scratch, 'ls-files', ['--stage', '-z'])).split('\0')
  for (const [, path] of entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.split('\t'))) {
    if (path !== undefined && (await holdsFiles(join(clone, path)))) return true
  }
  return false
}

async function holdsFiles(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isDirectory() || (await readdir(path)).length > 0
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false
    throw error
  }
}

async function hasChanges(clone: string, scratch: string): Promise<boolean> {
  const options = ['--porcelain', '--ignored=no', '--untracked-files=normal', '--ignore-submodules=all', '--no-renames']
  return (await git(clone, scratch, 'status', options)) !== ''
}

async function hasCommits(scratch: string, refs: ReadonlyMap<string, string>): Promise<boolean> {
  const tips = [...refs].flatMap(([name, id]) => (name === headFile || name.startsWith('refs/heads/') ? [id] : []))
  if (tips.length === 0) return false
  // By id and not by name, which could be read as an option.
  const options = ['--max-count=1', ...new Set(tips), '--not', '--remotes']
  return (await git(undefined, scratch, 'rev-list', options)) !== ''
}

function git(workTree: string | undefined, gitDir: string, subcommand: string, options: string[]): Promise<string> {
  return runGit({
    operation: 'Looking for work in a clone',
    subcommand,
    options,
    gitDir,
    workTree,
    access: noAccess,
    maxOutputBytes,
    timeoutMs: 60_000,
  })
}

/** The names of half a million files. */
const maxOutputBytes = 64 * 1024 * 1024

async function checkFolder(path: string, shown: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isDirectory()) throw new UntrustedFile(`${shown} is not a folder`)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
