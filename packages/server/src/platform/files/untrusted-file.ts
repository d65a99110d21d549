import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { errnoOf } from '../process/errno.ts'

/**
 * Files that an agent or a repository can write are hostile: a pipe blocks the reader, a device never ends, and a link
 * leads to files of ours. Everything that reads such a file opens it here.
 */

/** Why a file is not read, in words for the session it belongs to. */
export class UntrustedFile extends Error {
  override readonly name = 'UntrustedFile'
}

/** For `.catch`: a value to use instead of a file that is refused. Every other error is rethrown. */
export function ifUntrusted<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof UntrustedFile) return instead
    throw error
  }
}

type Bounds = {
  /** The folder that the file must be in, after every link in its path is resolved. */
  within: string
  /** A larger file is refused. The default is far above any settings file; a transcript has no limit (`Infinity`). */
  maxBytes?: number
}

const defaultMaxBytes = 1024 * 1024

/** Undefined when there is no such file. The caller closes the handle. */
export async function openUntrusted(
  path: string,
  { within, maxBytes = defaultMaxBytes, isWritten = false }: Bounds & { isWritten?: boolean },
): Promise<FileHandle | undefined> {
  const refuse = (problem: string): never => {
    // The session's log shows it, which names no path of this host.
    throw new UntrustedFile(`${relative(within, path)} ${problem}`)
  }
  const file = await openWithoutBlocking(path, isWritten ? constants.O_RDWR : constants.O_RDONLY, refuse)
  if (!file) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile()) refuse('is not a regular file')
    if (stats.size > maxBytes) refuse(`has ${stats.size} bytes; at most ${maxBytes} are read`)
    if (!(await isWithin(file, path, within))) refuse('leads out of its folder')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Undefined when there is no such file. Reads no more than `maxBytes`, even from a file that grows meanwhile. */
export async function readUntrusted(path: string, bounds: Bounds): Promise<string | undefined> {
  const file = await openUntrusted(path, bounds)
  if (!file) return undefined
  try {
    return await readText(file, (await file.stat()).size)
  } finally {
    await file.close()
  }
}

/** Reads no more than `maxBytes`, even from a file that grows meanwhile. */
export async function readText(file: FileHandle, maxBytes: number): Promise<string> {
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.toString('utf8', 0, length)
}

/** For a file that the operator names: links in its path are followed. */
export function openNonBlocking(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
}

/** Without `O_NONBLOCK` the open of a pipe waits for a writer, and holds one of the few I/O threads until then. */
const flags = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

async function openWithoutBlocking(
  path: string,
  access: number,
  refuse: (problem: string) => never,
): Promise<FileHandle | undefined> {
  try {
    return await open(path, access | flags)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP' || code === 'EMLINK') return refuse('is a link')
    if (code === 'ENXIO' || code === 'EOPNOTSUPP' || code === 'EISDIR') return refuse('is not a regular file')
    if (code === 'EACCES' || code === 'EPERM') return refuse('cannot be read')
    throw error
  }
}

/** Judged by the file that is open: a path checked before or after may name another one. */
async function isWithin(file: FileHandle, path: string, folder: string): Promise<boolean> {
  const [opened, root] = await Promise.all([openedPath(file, path), realpath(folder)])
  return opened?.startsWith(root + sep) === true
}

async function openedPath(file: FileHandle, path: string): Promise<string | undefined> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`)
  const resolved = await realpath(path)
  const again = await open(resolved, constants.O_RDONLY | flags)
  try {
    const [one, other] = await Promise.all([file.stat({ bigint: true }), again.stat({ bigint: true })])
    return one.dev === other.dev && one.ino === other.ino ? resolved : undefined
  } finally {
    await again.close()
  }
}
