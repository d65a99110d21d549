import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../process/errno.ts'

type Ownership = { uid: number; gid: number }

/**
 * Gives a folder and what is in it to a user. Only root can. Entries of other users than those in `from` keep their owner.
 *
 * The folder may hold whatever its present owner put there, so each entry is opened below the folder that was opened
 * before it, no link is followed, and a file with a second name is left alone: it may be a file of ours elsewhere. Links
 * keep their owner, which means nothing. The folder itself comes last, so its owner tells whether all of it was given.
 */
export async function giveFolder(path: string, to: Ownership, from: readonly number[]): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    // Through the descriptor, a path cannot be exchanged for another between two calls.
    const anchored = `/proc/self/fd/${folder.fd}`
    for (const entry of await readdir(anchored, { withFileTypes: true })) await giveEntry(anchored, entry, to, from)
    await giveOpened(folder, to, from)
  } finally {
    await folder.close()
  }
}

async function giveEntry(parent: string, entry: Dirent, to: Ownership, from: readonly number[]): Promise<void> {
  const path = join(parent, entry.name)
  try {
    if (entry.isDirectory()) return await giveFolder(path, to, from)
    if (!entry.isFile()) return
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      await giveOpened(file, to, from)
    } finally {
      await file.close()
    }
  } catch (error) {
    // It was removed or exchanged meanwhile.
    if (!['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
  }
}

async function giveOpened(handle: FileHandle, { uid, gid }: Ownership, from: readonly number[]): Promise<void> {
  const found = await handle.stat()
  const isOurs = from.includes(found.uid) && found.uid !== uid
  if (isOurs && (found.isDirectory() || (found.isFile() && found.nlink === 1))) await handle.chown(uid, gid)
}
