import { constants, type Stats } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  symlink,
  utimes,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { childEnvironment } from '../process/environment.ts'
import { errnoOf } from '../process/errno.ts'
import { runCommand } from '../process/run-command.ts'
import { UntrustedFile } from './untrusted-file.ts'

/**
 * Copies a working folder while processes create, rename and delete files in it. What vanishes before it is copied is left
 * out. Links are copied as links and never followed. Pipes, sockets and devices are left out, as are git's lock files: the
 * processes that hold the locks do not work in the copy. Nothing in the copy shares an inode with the source.
 *
 * @returns False if there is no such folder.
 * @throws UntrustedFile if a file cannot be copied, such as one that our user may not read.
 */
export function copyFolder(source: string, target: string): Promise<boolean> {
  return copyEntries({ source, target, shown: '' })
}

/** `shown` is the path for messages; the source may be named by its open parent. */
type Item = { source: string; target: string; shown: string }

/** A folder is listed again if something vanished from it, because it may only have got another name. */
const maxPasses = 3

async function copyEntries({ source, target, shown }: Item): Promise<boolean> {
  const folder = await openUnlessGone(source, constants.O_DIRECTORY, shown)
  if (!folder) return false
  try {
    await mkdir(target).catch((error: unknown) => refuse(error, shown))
    const place = placeOf(folder, source)
    const seen = new Set<string>()
    for (let pass = 0; pass < maxPasses; pass += 1) {
      // A folder that was deleted since it was opened cannot be listed.
      const listed = (await unlessGone(readdir(place), shown)) ?? []
      const names = listed.filter((name) => !seen.has(name)).sort(objectsLast)
      let hasVanished = false
      for (const name of names) {
        seen.add(name)
        if (isGitLock(shown, name)) continue
        const item = { source: join(place, name), target: join(target, name), shown: join(shown, name) }
        if (!(await copyEntry(item))) hasVanished = true
      }
      if (!hasVanished) break
    }
    await copyTimes(target, await folder.stat())
    return true
  } finally {
    await folder.close()
  }
}

/** False if the entry has vanished. */
async function copyEntry(item: Item): Promise<boolean> {
  const { source, target, shown } = item
  const stats = await unlessGone(lstat(source), shown)
  if (!stats) return false
  if (stats.isDirectory()) return copyEntries(item)
  if (stats.isFile()) return copyRegular(item)
  if (!stats.isSymbolicLink()) return true
  const link = await unlessGone(readlink(source), shown)
  if (link === undefined) return false
  await symlink(link, target).catch((error: unknown) => refuse(error, shown))
  return true
}

async function copyRegular({ source, target, shown }: Item): Promise<boolean> {
  const file = await openUnlessGone(source, constants.O_NONBLOCK, shown)
  if (!file) return false
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return true
    if (isSparse(stats)) await copySparse(file, { source, target, shown })
    else {
      const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
      await copyFile(placeOf(file, source), target, flags).catch((error: unknown) => refuse(error, shown))
    }
    await copyTimes(target, stats)
    return true
  } finally {
    await file.close()
  }
}

/** A file with large holes. Copied byte by byte, one of a terabyte that takes no space would fill the disk. */
function isSparse({ size, blocks }: Stats): boolean {
  return size - blocks * 512 > holesMaxBytes
}

const holesMaxBytes = 16 * 1024 * 1024

/** Node cannot find the holes of a file; GNU cp can. */
async function copySparse(file: FileHandle, { source, target, shown }: Item): Promise<void> {
  // The place of an open file, as another process names it.
  const place = placeOf(file, source).replace('/self/', `/${process.pid}/`)
  const { code } = await runCommand({
    command: 'cp',
    args: ['--sparse=always', '--reflink=auto', '--', place, target],
    env: childEnvironment({}),
    timeoutMs: sparseTimeoutMs,
    maxOutputBytes: 4096,
  })
  if (code !== 0) throw new UntrustedFile(`${shown} has holes and cannot be copied`)
}

const sparseTimeoutMs = 300_000

/** Linux resolves this path to what is open, even if the source's path leads elsewhere by now. */
function placeOf(handle: FileHandle, source: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : source
}

/** Without setuid and setgid: the copy belongs to our user. */
async function copyTimes(target: string, { mode, atime, mtime }: Stats): Promise<void> {
  await chmod(target, mode & 0o777)
  await utimes(target, atime, mtime)
}

/** Git writes objects before it names them. Copied last, they are all there for the names that were copied before. */
function objectsLast(one: string, other: string): number {
  return Number(one === 'objects') - Number(other === 'objects')
}

function isGitLock(folder: string, name: string): boolean {
  return name.endsWith('.lock') && folder.split('/').includes('.git')
}

function openUnlessGone(path: string, flags: number, shown: string): Promise<FileHandle | undefined> {
  return unlessGone(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | flags), shown)
}

/** Undefined for what was deleted, or replaced by something of another kind, since its folder was listed. */
function unlessGone<T>(work: Promise<T>, shown: string): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    const code = errnoOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EINVAL' || code === 'ENXIO')
      return undefined
    return refuse(error, shown)
  })
}

function refuse(error: unknown, shown: string): never {
  const code = errnoOf(error)
  if (code === 'EACCES' || code === 'EPERM') throw new UntrustedFile(`${shown} cannot be read`)
  if (code === 'ENAMETOOLONG') throw new UntrustedFile(`the path of ${basename(shown)} is too long`)
  throw error
}
