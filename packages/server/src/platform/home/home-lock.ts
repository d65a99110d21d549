import { randomBytes } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errnoOf } from '../process/errno.ts'
import { type ProcessIdentity, processTable } from '../process/process-table.ts'

/**
 * One process at a time, with nothing but files; Node has no flock.
 *
 * The folder holds numbered files, each naming a process by pid and start time. The highest number is the lock: it is
 * held while that process runs. Who finds it dead or released links a file of the next number. Linking fails if the name
 * exists, so of all who judged the same number dead exactly one goes on, and the file is complete when it appears. A
 * number is never used again: releasing rewrites the file, and the winner removes only lower ones. Moving a stale file
 * away instead would leave a gap in which a late judge moves the new holder's file, and a third finds the place free.
 *
 * One late comer remains: who judged a number long ago may link the next one after it was used and removed. It
 * looks again, sees a higher number, and withdraws.
 *
 * The folder has to be on this machine and seen by processes that see each other: a holder in another container or on
 * another host looks dead.
 */
export type HomeLock = { release(): Promise<void> }

export async function takeHomeLock(folder: string): Promise<HomeLock | { heldBy: ProcessIdentity }> {
  const table = processTable()
  const self = await table.identify(process.pid)
  if (self === undefined) throw new Error(`process ${process.pid} is not in the process table, and it is ours`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (;;) {
    const highest = await highestNumber(folder)
    const holder = await readHolder(join(folder, String(highest)))
    if (holder !== undefined && (await table.isRunning(holder))) return { heldBy: holder }

    const number = highest + 1
    if (!(await linkNumber(folder, number, self))) continue
    if ((await highestNumber(folder)) !== number) {
      await rm(join(folder, String(number)), { force: true })
      continue
    }
    await removeLower(folder, number)
    return { release: () => markReleased(folder, number) }
  }
}

/** 0 when nobody ever held it. */
async function highestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(folder)))
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await readdir(folder)).filter((name) => /^[1-9]\d*$/.test(name)).map(Number)
}

const Holder = z.object({ pid: z.number().int().positive(), startTime: z.string() })

/** Undefined when released, gone meanwhile, or torn by a crash of the whole machine, which the holder did not survive. */
async function readHolder(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return Holder.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError || error instanceof z.ZodError) return undefined
    throw error
  }
}

/** False when another process was first. */
async function linkNumber(folder: string, number: number, self: ProcessIdentity): Promise<boolean> {
  const own = join(folder, `new-${randomBytes(8).toString('hex')}`)
  await writeFile(own, `${JSON.stringify(self)}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(own, join(folder, String(number)))
    return true
  } catch (error) {
    // ENOENT: a winner has tidied up, and our file with the rest.
    if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOENT') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

async function removeLower(folder: string, number: number): Promise<void> {
  const lower = (await numbersIn(folder)).filter((other) => other < number).map(String)
  const unlinked = (await readdir(folder)).filter((name) => name.startsWith('new-'))
  await Promise.all([...lower, ...unlinked].map((name) => rm(join(folder, name), { force: true })))
}

/** At once, so that nobody reads half of it. Nobody else can win meanwhile and take the new file for a forgotten one. */
async function markReleased(folder: string, number: number): Promise<void> {
  const own = join(folder, `new-${randomBytes(8).toString('hex')}`)
  await writeFile(own, 'released\n', { mode: 0o600 })
  await rename(own, join(folder, String(number)))
}
