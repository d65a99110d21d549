import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { errnoOf } from '../process/errno.ts'
import { Unfit } from '../startup-error.ts'
import { explainUnusable, prepareHomeFolder } from './home-folder.ts'
import { takeHomeLock } from './home-lock.ts'

/** The folder with all that Yardmaster keeps on disk, held by this process alone. */
export type Home = {
  /** The real path, without links. */
  path: string
  in(...parts: string[]): string
  /** A random id of this home, the same at every start: what other hosts know this one by. */
  hostId: string
  /** Lets the next process in. May be called again. */
  release(): Promise<void>
}

export async function openHome(path: string): Promise<Home> {
  const wanted = resolve(path)
  return explainUnusable(wanted, async () => {
    const folder = await prepareHomeFolder(wanted)
    const release = await lockHome(folder)
    try {
      const hostId = await keepHostId(join(folder, 'host-id'))
      return { path: folder, in: (...parts) => join(folder, ...parts), hostId, release }
    } catch (error) {
      await release()
      throw error
    }
  })
}

async function lockHome(folder: string): Promise<() => Promise<void>> {
  const lock = await takeHomeLock(join(folder, 'lock'))
  if ('heldBy' in lock) {
    throw new Unfit(
      `Another Yardmaster (process ${lock.heldBy.pid}) is running on the home ${folder}. Stop it, or set YARDMASTER_HOME to another folder.`,
    )
  }
  let released: Promise<void> | undefined
  return () => {
    released ??= lock.release()
    return released
  }
}

const HostId = z.uuid()

async function keepHostId(file: string): Promise<string> {
  const kept = HostId.safeParse(await readIfThere(file))
  if (kept.success) return kept.data
  const hostId = randomUUID()
  await writeFile(`${file}.new`, `${hostId}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return hostId
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
