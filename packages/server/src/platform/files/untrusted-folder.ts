import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { errnoOf } from '../process/errno.ts'
import { giveToOwnerOf } from './give.ts'
import { removeFolder } from './remove-folder.ts'
import { UntrustedFile } from './untrusted-file.ts'

/**
 * Folders that an agent can write are hostile: a link in place of a folder would have us read, overwrite or remove files
 * elsewhere. Every change below such a folder is made here, and no step on the way follows a link. What root makes there
 * belongs to the owner of the folder, who may be the user that agents run as.
 */

type Bounds = {
  /** The folder on top, which we made ourselves. Only what is below it is hostile. */
  within: string
}

type FolderEntry = { name: string; isFolder: boolean; isLink: boolean }

/** Empty when there is no such folder. */
export async function listUntrusted(path: string, bounds: Bounds): Promise<FolderEntry[]> {
  const entries = await inFolder(path, { ...bounds, isCreated: false }, (place) =>
    readdir(place, { withFileTypes: true }),
  )
  return (entries ?? []).map((entry) => ({
    name: entry.name,
    isFolder: entry.isDirectory(),
    isLink: entry.isSymbolicLink(),
  }))
}

/** Creates the folder and its parents if they are missing. */
export async function ensureUntrusted(path: string, bounds: Bounds): Promise<void> {
  await inFolder(path, { ...bounds, isCreated: true }, async () => undefined)
}

/** Writes a file that only our user can read, as a whole: a reader sees the old content or the new. */
export async function writeUntrusted(
  path: string,
  text: string,
  { within, mode = 0o600 }: Bounds & { mode?: number },
): Promise<void> {
  // `wx` neither follows a link nor opens a pipe that the agent put there meanwhile.
  await replaceUntrusted(path, { within }, (draft) => writeFile(draft, text, { mode, flag: 'wx' }))
}

/** Replaces a file or folder, whatever is there, with what `fill` makes at the path it is given. */
export async function replaceUntrusted(
  path: string,
  bounds: Bounds,
  fill: (draft: string) => Promise<void>,
): Promise<void> {
  await inFolder(dirname(path), { ...bounds, isCreated: true }, async (place, folder) => {
    const target = join(place, basename(path))
    const draft = draftOf(target)
    await removeFolder(draft)
    try {
      await fill(draft)
      await giveToOwnerOf(folder, draft)
      await moveOver(draft, target)
    } catch (error) {
      // Why it failed says more than that its remains could not be removed either.
      await removeFolder(draft).catch(() => undefined)
      throw error
    }
  })
}

async function moveOver(draft: string, target: string): Promise<void> {
  await rename(draft, target).catch(async (error: unknown) => {
    if (!blockedByFolder.has(errnoOf(error))) throw error
    await removeFolder(target)
    await rename(draft, target)
  })
}

const blockedByFolder = new Set<string | undefined>(['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'])

/** Moves a regular file out of the agent's reach. False when there is none. */
export async function takeUntrusted(path: string, to: string, bounds: Bounds): Promise<boolean> {
  const isTaken = await inFolder(dirname(path), { ...bounds, isCreated: false }, async (place) => {
    const source = join(place, basename(path))
    const found = await lstat(source).catch(() => undefined)
    if (!found?.isFile()) return false
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rename(source, to)
    return true
  })
  return isTaken === true
}

/** Removes a file or folder and the leftovers of an interrupted replacement. */
export async function removeUntrusted(path: string, bounds: Bounds): Promise<void> {
  await inFolder(dirname(path), { ...bounds, isCreated: false }, async (place) => {
    const target = join(place, basename(path))
    await removeFolder(target)
    await removeFolder(draftOf(target))
  })
}

function draftOf(target: string): string {
  return `${target}.partial`
}

/**
 * Runs `work` with a path that leads to the folder, whatever happens to its parents meanwhile. Undefined when there is no
 * such folder.
 */
async function inFolder<T>(
  path: string,
  { within, isCreated }: Bounds & { isCreated: boolean },
  work: (place: string, folder: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const names = relative(within, path)
    .split(sep)
    .filter((name) => name !== '')
  if (names.includes('..')) throw new Error(`${path} is not below ${within}`)
  const opened: Folder[] = []
  try {
    let folder = await enter(within, { shown: '.', isCreated })
    for (const [depth, name] of names.entries()) {
      if (!folder) return undefined
      opened.push(folder)
      const shown = names.slice(0, depth + 1).join(sep)
      folder = await enter(join(folder.place, name), { shown, isCreated, parent: folder.handle })
    }
    if (!folder) return undefined
    opened.push(folder)
    return await work(folder.place, folder.handle)
  } finally {
    await Promise.all(opened.map(({ handle }) => handle.close()))
  }
}

type Folder = { handle: FileHandle; place: string }

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

type Entering = { shown: string; isCreated: boolean; parent?: FileHandle }

async function enter(path: string, how: Entering): Promise<Folder | undefined> {
  try {
    const handle = await open(path, folderFlags)
    // Linux resolves this path to the open folder itself. Elsewhere a folder that is replaced meanwhile is not noticed.
    const folder = { handle, place: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path }
    return how.isCreated ? giveMade(folder, how) : folder
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new UntrustedFile(`${how.shown} is not a folder`)
    if (isForbidden(error)) throw new UntrustedFile(`${how.shown} cannot be opened`)
    if (code !== 'ENOENT') throw error
    if (!how.isCreated) return undefined
    await mkdir(path, { mode: 0o700, recursive: true }).catch((refusal: unknown) => {
      throw isForbidden(refusal) ? new UntrustedFile(`${how.shown} cannot be created`) : refusal
    })
    return giveMade(await enter(path, { ...how, isCreated: false }), how)
  }
}

/** Also a folder that was made before by a server that died before it gave it away: the agent could not use it for good. */
async function giveMade(folder: Folder | undefined, { parent }: Entering): Promise<Folder | undefined> {
  if (!folder || !parent || process.geteuid?.() !== 0) return folder
  try {
    const [{ uid: owner }, { uid, gid }] = await Promise.all([folder.handle.stat(), parent.stat()])
    if (owner === 0 && uid !== 0) await folder.handle.chown(uid, gid)
    return folder
  } catch (error) {
    await folder.handle.close()
    throw error
  }
}

/** An agent that runs as the same user can take the rights on a folder away. */
function isForbidden(error: unknown): boolean {
  return errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM'
}
