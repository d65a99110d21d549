import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { tryFileLock } from '../concurrency/file-lock.ts'
import { readIfPresent, writePrivateFile } from '../files/private-file.ts'
import type { ProcessIdentity } from '../process/process-table.ts'
import { StartupError } from '../startup-error.ts'
import { findEarlierHolder } from './earlier-lock.ts'
import { explainUnusable, prepareHomeFolder } from './home-folder.ts'

/** The folder with everything Yardmaster keeps on disk. One process at a time holds it. */
export type Home = {
  /** The real path, without links. */
  path: string
  in(...parts: string[]): string
  /** A random id of this home, the same at every start. Other hosts identify this host by it. */
  hostId: string
  /** Releases the lock, so that another process can open the home. Idempotent. */
  release(): Promise<void>
}

/** A file in a home whose restore has begun and not ended. */
export const unfinishedRestore = 'restore-unfinished'

export async function openHome(path: string): Promise<Home> {
  const wanted = resolve(path)
  return explainUnusable(wanted, async () => {
    const folder = await prepareHomeFolder(wanted)
    const release = await lockHome(folder)
    try {
      await refuseUnfinished(folder)
      const hostId = await readOrCreateHostId(join(folder, 'host-id'))
      return { path: folder, in: (...parts) => join(folder, ...parts), hostId, release }
    } catch (error) {
      await release()
      throw error
    }
  })
}

async function lockHome(folder: string): Promise<() => Promise<void>> {
  const lock = await tryFileLock(join(folder, 'home.lock'))
  if ('heldBy' in lock) throw heldBy(lock.heldBy, folder)
  const earlier = await findEarlierHolder(join(folder, 'lock'))
  if (earlier === undefined) return lock.release
  await lock.release()
  throw heldBy(earlier, folder)
}

async function refuseUnfinished(folder: string): Promise<void> {
  const backup = await readIfPresent(join(folder, unfinishedRestore))
  if (backup === undefined) return
  throw new StartupError(
    `The restore into ${folder} did not finish. Run it again: npm run restore -- ${backup.trim()} --force`,
  )
}

function heldBy({ pid }: ProcessIdentity, folder: string): StartupError {
  return new StartupError(
    `Another Yardmaster (process ${pid}) is running on the home ${folder}. Stop it, or set YARDMASTER_HOME to another folder.`,
  )
}

const HostId = z.uuid()

async function readOrCreateHostId(file: string): Promise<string> {
  const stored = HostId.safeParse((await readIfPresent(file))?.trim())
  if (stored.success) return stored.data
  const hostId = randomUUID()
  await writePrivateFile(file, `${hostId}\n`)
  return hostId
}
