import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readIfPresent } from '../files/private-file.ts'
import { parseJson } from '../parse-json.ts'
import { errnoOf } from '../process/errno.ts'
import { type ProcessIdentity, processTable } from '../process/process-table.ts'

/**
 * Builds from before the shared file lock locked the home by a folder of numbered files, of which the highest names the
 * holder. Returns that process if it still runs, and otherwise removes the folder. Without this check a new build would
 * stop the database of an older one that still runs on the home. Call it while holding the home's lock.
 */
export async function findEarlierHolder(folder: string): Promise<ProcessIdentity | undefined> {
  const highest = Math.max(0, ...(await numbersIn(folder)))
  const holder = Holder.safeParse(parseJson((await readIfPresent(join(folder, String(highest)))) ?? ''))
  if (holder.success && (await processTable().isRunning(holder.data))) return holder.data
  await rm(folder, { recursive: true, force: true })
  return undefined
}

const Holder = z.object({ pid: z.number().int().positive(), startTime: z.string() })

async function numbersIn(folder: string): Promise<number[]> {
  try {
    return (await readdir(folder)).filter((name) => /^[1-9]\d*$/.test(name)).map(Number)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}
