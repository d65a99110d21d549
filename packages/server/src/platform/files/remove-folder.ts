import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../process/errno.ts'

/**
 * Removes a file, or a folder and everything in it, whatever an agent made of it. Its parent must be ours. Nothing is done if
 * it does not exist.
 *
 * `rm` of Node names everything by its path. So it fails where a path is too long, and while a process replaces a folder by a
 * link it removes files elsewhere. Here each folder is opened without following a link, and what is in it is named by the
 * open folder. Folders below it are moved up to the top first, so that no path is long and two folders are open at a time.
 */
export async function removeFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(unlessGone)
  if (!found) return
  if (!found.isDirectory()) return void (await unlink(path).catch(unlessGone))
  for (let attempt = 1; ; attempt += 1) {
    await inFolder(path, emptyFolder)
    try {
      return void (await rmdir(path).catch(unlessGone))
    } catch (error) {
      // A process that has not ended yet adds files.
      if (!isFull(error) || attempt === maxAttempts) throw error
    }
  }
}

const maxAttempts = 4

async function emptyFolder(top: string): Promise<void> {
  let folders = await removeFiles(top)
  while (folders.length > 0) {
    for (const name of folders) await removeOne(join(top, name), top)
    folders = await removeFiles(top)
  }
}

/** Removes the files of a folder in `top`, moves its folders to `top`, and removes it. */
async function removeOne(path: string, top: string): Promise<void> {
  await inFolder(path, async (folder) => {
    for (const name of await removeFiles(folder)) await moveUp(join(folder, name), top)
  })
  await rmdir(path).catch((error: unknown) => {
    // It is a link by now, or was filled again. The next round sees what it is.
    if (errnoOf(error) !== 'ENOTDIR' && !isFull(error)) unlessGone(error)
  })
}

async function moveUp(path: string, top: string): Promise<void> {
  const target = join(top, randomUUID())
  await rename(path, target).catch(async (error: unknown) => {
    if (!isForbidden(error)) return unlessGone(error)
    await permit(path)
    await rename(path, target).catch(unlessGone)
  })
}

/** Returns the names of the folders in it. */
async function removeFiles(folder: string): Promise<string[]> {
  const folders: string[] = []
  let batch: Promise<unknown>[] = []
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory()) folders.push(entry.name)
    else batch.push(unlink(join(folder, entry.name)).catch(unlessReplaced))
    if (batch.length < batchSize) continue
    await Promise.all(batch)
    batch = []
  }
  await Promise.all(batch)
  return folders
}

const batchSize = 64

/** Runs `work` with a path that leads to the folder itself. Skips what is no folder any more. */
async function inFolder(path: string, work: (place: string) => Promise<void>): Promise<void> {
  const folder = await openFolder(path).catch(async (error: unknown) => {
    if (!isForbidden(error)) return unlessReplaced(error)
    await permit(path)
    return openFolder(path).catch(unlessReplaced)
  })
  if (!folder) return
  try {
    // An ordinary user must be allowed to write in it; root is.
    if (process.geteuid?.() !== 0) await folder.chmod(0o700)
    await work(process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : path)
  } finally {
    await folder.close()
  }
}

function openFolder(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

/** Only an ordinary user gets here, whose agents are the same user: what it may change, they may change. */
async function permit(path: string): Promise<void> {
  await chmod(path, 0o700).catch(unlessGone)
}

function isForbidden(error: unknown): boolean {
  return errnoOf(error) === 'EACCES'
}

function isFull(error: unknown): boolean {
  return errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST'
}

function unlessGone(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error
}

/** It was removed, or exchanged for something of another kind. */
function unlessReplaced(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(errnoOf(error) ?? '')) throw error
}
