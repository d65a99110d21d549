import { closeSync, constants, fchownSync, fstatSync, openSync } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { errnoOf } from '../process/errno.ts'
import { UntrustedFile } from './untrusted-file.ts'

type Ownership = { uid: number; gid: number }

/**
 * Gives a file, or a folder and what is in it, to a user. Only root can. Entries of other users than those in `from` keep
 * their owner.
 *
 * A folder may hold whatever its present owner put there, so each entry is opened below the folder that was opened
 * before it, no link is followed, and a file with a second name is left alone: it may be a file of ours elsewhere. Links
 * keep their owner, which means nothing. A folder comes after its entries, so its owner tells whether all of it was given.
 */
export function give(path: string, to: Ownership, from: readonly number[]): Promise<void> {
  return giveAt(path, { to, from, depth: 0 })
}

type Giving = { to: Ownership; from: readonly number[]; depth: number }

async function giveAt(path: string, giving: Giving): Promise<void> {
  const { to, from, depth } = giving
  if (depth > maxDepth) throw new UntrustedFile(`folders are nested more than ${maxDepth} levels deep`)
  // Synchronous calls, which take a microsecond each: a clone can have a hundred thousand files. None waits, not for a pipe either.
  const opened = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = fstatSync(opened)
    // Through the descriptor, a path cannot be exchanged for another between two calls.
    if (found.isDirectory()) await giveEntries(`/proc/self/fd/${opened}`, giving)
    const isPlain = found.isDirectory() || (found.isFile() && found.nlink === 1)
    if (isPlain && from.includes(found.uid) && found.uid !== to.uid) fchownSync(opened, to.uid, to.gid)
  } finally {
    closeSync(opened)
  }
}

/** Each folder stays open while its entries are given. Ordinary trees are far from it. */
const maxDepth = 500

async function giveEntries(folder: string, giving: Giving): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const [index, entry] of entries.entries()) {
    if (index % entriesAtOnce === entriesAtOnce - 1) await setImmediate()
    if (!entry.isDirectory() && !entry.isFile()) continue
    await giveAt(join(folder, entry.name), { ...giving, depth: giving.depth + 1 }).catch(ignoreGone)
  }
}

/** Then the event loop has its turn. */
const entriesAtOnce = 100

/** Gives what we made in a folder to the owner of the folder. A link stays ours. */
export async function giveToOwnerOf(folder: FileHandle, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await folder.stat()
  if (uid !== 0) await give(path, { uid, gid }, [0]).catch(ignoreGone)
}

/** It was removed or exchanged meanwhile. */
function ignoreGone(error: unknown): void {
  if (!['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}
