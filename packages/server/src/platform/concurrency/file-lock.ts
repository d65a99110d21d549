import { randomUUID } from 'node:crypto'
import { readlink, symlink, unlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../process/errno.ts'
import { processTable } from '../process/process-table.ts'

/**
 * A lock between processes of one machine: a symbolic link that leads nowhere and whose text says who holds it. Made in
 * one step with its content, so that no reader sees half of it, and left behind by a holder that was killed: the next
 * one finds that process gone and clears it away.
 *
 * Not promised: order among those who wait, or any use between machines that share a disk.
 */
export async function withFileLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  const owner = await describeOurselves()
  await acquire(path, owner, waiting)
  try {
    return await work()
  } finally {
    if ((await holderOf(path)) === owner) await unlink(path)
  }
}

type Waiting = { signal?: AbortSignal; patienceMs: number }

/** Somebody alive has held the lock for longer than the caller wanted to wait. */
export class FileLockBusy extends Error {
  override readonly name = 'FileLockBusy'
}

async function acquire(path: string, owner: string, waiting: Waiting): Promise<void> {
  const endMs = performance.now() + waiting.patienceMs
  for (let delayMs = 10; ; delayMs = Math.min(delayMs * 2, 250)) {
    waiting.signal?.throwIfAborted()
    if (await makeLink(path, owner)) return
    const holder = await holderOf(path)
    if (holder === undefined) continue
    if (performance.now() > endMs) throw new FileLockBusy(`${path} is held by process ${Number.parseInt(holder, 10)}`)
    if (await isRunning(holder)) {
      // The reason of the signal, not the timer's own error, is what the caller knows.
      await sleep(delayMs, undefined, { signal: waiting.signal }).catch(() => waiting.signal?.throwIfAborted())
    } else {
      await clearAbandoned(path, holder, waiting)
    }
  }
}

/**
 * Two that find the same lock abandoned must not both remove it: the slower one would remove the lock that the faster
 * one has made since. So removing is itself done under a lock, and only what was found abandoned is removed. That lock
 * can be abandoned too, and is cleared the same way.
 */
async function clearAbandoned(path: string, holder: string, waiting: Waiting): Promise<void> {
  await withFileLock(`${path}.clearing`, waiting, async () => {
    if ((await holderOf(path)) === holder) await unlink(path)
  })
}

async function makeLink(path: string, owner: string): Promise<boolean> {
  try {
    await symlink(owner, path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

async function holderOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The last part tells apart what one process holds one after the other. */
async function describeOurselves(): Promise<string> {
  const identity = await processTable().identify(process.pid)
  if (identity === undefined) throw new Error('The process table does not list this process')
  return [identity.pid, encodeURIComponent(identity.startTime), randomUUID()].join(' ')
}

async function isRunning(holder: string): Promise<boolean> {
  const [pid, startTime] = holder.split(' ')
  // Not written by us: nobody will come back for it.
  if (pid === undefined || startTime === undefined) return false
  return processTable().isRunning({ pid: Number(pid), startTime: decodeURIComponent(startTime) })
}
