import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises'
import { paddingOf, type TarEntry, tarHeader } from '../../platform/files/tar.ts'
import { errnoOf } from '../../platform/process/errno.ts'

/** Deeper folders are left out and reported: each level keeps a folder open. */
const maxDepth = 200

/** Longer paths, which a walk from folder to folder reaches, are left out and reported: no restore could make them. */
const maxPathBytes = 3000

/**
 * Holes of files use no disk, so an agent could make files that take days to store. Further files of its session with holes
 * are left out and reported.
 */
const maxHoleBytes = 4 * 2 ** 30

type Walk = {
  /** Of a user id, if it is not our own. */
  ownerOf(uid: number): string
  onSkipped(path: string, reason: string): void
  /** Further files of the home that are left out. */
  isLeftOut(path: string): boolean
}

/** The folders of the database server are not files of the home: its rows are dumped. */
export function isLeftOut(path: string): boolean {
  return path === 'postgres' || path.startsWith('postgres/')
}

/**
 * The files below the home as entries of the tar, while agents write them. Links are stored and never followed: each folder is
 * opened by itself, and what is in it is named by the open folder. A file that grows is stored as long as it was when it was
 * opened; one that shrinks is filled up with zeros.
 */
export async function* homeFiles(home: string, walk: Walk): AsyncGenerator<Buffer> {
  yield* folderFiles(Buffer.from(home), Buffer.alloc(0), { ...walk, mayHaveHoles: holeLimit() }, 0)
}

type LimitedWalk = Walk & { mayHaveHoles(path: Buffer, bytes: number): boolean }

/** Counts for each folder in a folder of the home, which is that of a session. */
function holeLimit(): LimitedWalk['mayHaveHoles'] {
  const counted = new Map<string, number>()
  return (path, bytes) => {
    const folder = path.toString('latin1').split('/', 2).join('/')
    const holes = (counted.get(folder) ?? 0) + bytes
    if (holes > maxHoleBytes) return false
    counted.set(folder, holes)
    return true
  }
}

async function* folderFiles(place: Buffer, path: Buffer, walk: LimitedWalk, depth: number): AsyncGenerator<Buffer> {
  const folder = await openQuietly(place, constants.O_DIRECTORY, path, walk)
  if (!folder) return
  try {
    const inside = process.platform === 'linux' ? Buffer.from(`/proc/self/fd/${folder.fd}`) : place
    if (path.length > 0) yield tarHeader({ ...(await factsOf(folder, walk)), path: folderPath(path), type: 'folder' })
    if (depth > maxDepth) return walk.onSkipped(path.toString(), 'its path is too deep')
    // The declaration of Node's types lacks the form with buffers.
    const entries = (await readdir(inside, { withFileTypes: true, encoding: 'buffer' })) as unknown as Dirent<Buffer>[]
    for (const entry of withoutRepeated(entries)) {
      const name = path.length === 0 ? entry.name : Buffer.concat([path, Buffer.from('/'), entry.name])
      const at = Buffer.concat([inside, Buffer.from('/'), entry.name])
      if (isLeftOut(name.toString()) || walk.isLeftOut(name.toString()) || (depth < 2 && isLock(entry))) continue
      if (name.length > maxPathBytes) {
        walk.onSkipped(`${name.toString().slice(0, 200)}...`, 'its path is too long')
        continue
      }
      if (entry.isDirectory()) yield* folderFiles(at, name, walk, depth + 1)
      else if (entry.isFile()) yield* file(at, name, walk)
      else if (entry.isSymbolicLink()) yield* link(at, name, walk)
    }
  } finally {
    await folder.close()
  }
}

/** A folder in which files come and go while it is read may list a name twice, and a restore takes each name once. */
function withoutRepeated(entries: readonly Dirent<Buffer>[]): Iterable<Dirent<Buffer>> {
  return new Map(entries.map((entry) => [entry.name.toString('latin1'), entry])).values()
}

/** Locks of running processes are links. They mean nothing on another machine. */
function isLock(entry: Dirent<Buffer>): boolean {
  return entry.isSymbolicLink() && /\.lock(\.clearing)*$/.test(entry.name.toString())
}

async function* file(place: Buffer, path: Buffer, walk: LimitedWalk): AsyncGenerator<Buffer> {
  const handle = await openQuietly(place, constants.O_NONBLOCK, path, walk)
  if (!handle) return
  try {
    const facts = await factsOf(handle, walk)
    if (!facts.isFile) return
    if (!walk.mayHaveHoles(path, facts.holeBytes)) return walk.onSkipped(path.toString(), 'it has too many holes')
    yield tarHeader({ ...facts, path: inHome(path), type: 'file' })
    let missing = facts.sizeBytes
    while (missing > 0) {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(Math.min(missing, 256 * 1024)) })
      if (bytesRead === 0) break
      missing -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    for (; missing > 0; missing -= zeros.length) yield zeros.subarray(0, missing)
    yield paddingOf(facts.sizeBytes)
  } finally {
    await handle.close()
  }
}

const zeros = Buffer.alloc(64 * 1024)

async function* link(place: Buffer, path: Buffer, walk: Walk): AsyncGenerator<Buffer> {
  try {
    const target = await readlink(place, 'buffer')
    yield tarHeader({ ...noFacts, path: inHome(path), type: 'link', target })
  } catch (error) {
    skip(error, path, walk)
  }
}

const noFacts = { mode: 0o777, owner: '', sizeBytes: 0, modifiedAt: new Date(0), target: Buffer.alloc(0) }

async function factsOf(
  handle: FileHandle,
  { ownerOf }: Walk,
): Promise<Omit<TarEntry, 'path' | 'type'> & { isFile: boolean; holeBytes: number }> {
  const stats = await handle.stat()
  const isFile = stats.isFile()
  return {
    isFile,
    mode: stats.mode,
    owner: ownerOf(stats.uid),
    sizeBytes: isFile ? stats.size : 0,
    holeBytes: Math.max(0, stats.size - stats.blocks * blockBytes),
    modifiedAt: stats.mtime,
    target: noFacts.target,
  }
}

/** The unit of `blocks` on every system. */
const blockBytes = 512

function inHome(path: Buffer): Buffer {
  return Buffer.concat([Buffer.from('home/'), path])
}

function folderPath(path: Buffer): Buffer {
  return Buffer.concat([inHome(path), Buffer.from('/')])
}

async function openQuietly(place: Buffer, flags: number, path: Buffer, walk: Walk): Promise<FileHandle | undefined> {
  try {
    return await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | flags)
  } catch (error) {
    return skip(error, path, walk)
  }
}

/** What is removed or replaced while it is read is not reported: it was not there at the end either. */
function skip(error: unknown, path: Buffer, { onSkipped }: Walk): undefined {
  const code = errnoOf(error) ?? ''
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL'].includes(code)) return
  if (!['EACCES', 'EPERM', 'EMFILE', 'ENAMETOOLONG', 'EIO'].includes(code)) throw error
  onSkipped(path.toString(), code)
}
