import { randomUUID } from 'node:crypto'
import { readlink, symlink, unlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../process/errno.ts'
import { type ProcessIdentity, processTable } from '../process/process-table.ts'

/**
 * A lock between processes of one machine; Node has no flock. The lock is a dangling symbolic link whose target names
 * its holder by pid and start time. Creating a link is atomic and includes its content, so no process reads half of it.
 *
 * A killed holder leaves its link behind. The next process sees that the holder no longer runs and removes the link.
 *
 * Not promised: fairness among waiting processes, and any use across machines or containers, where a holder's process is
 * not visible and looks dead.
 */
export type FileLock = { release(): Promise<void> }

/** Another process holds the lock, and did so until the caller's timeout. */
export class FileLockTimeout extends Error {
  override readonly name = 'FileLockTimeout'
}

type Waiting = { signal?: AbortSignal; timeoutMs: number }

/** Runs `work` while holding the lock at `path`. Waits for a running holder until the timeout or the abort. */
export async function withFileLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(path, waiting)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/** Takes the lock, or names the running process that holds it. Does not wait for that process. */
export async function tryFileLock(path: string): Promise<FileLock | { heldBy: ProcessIdentity }> {
  const owner = await describeOurselves()
  for (;;) {
    if (await createLink(path, owner)) return { release: () => release(path, owner) }
    const holder = await readHolder(path)
    if (holder === undefined) continue
    const running = await findRunning(holder)
    if (running !== undefined) return { heldBy: running }
    await removeStale(path, holder, { timeoutMs: staleRemovalTimeoutMs })
  }
}

/** Removing a stale link takes two system calls. A process that needs longer is frozen. */
const staleRemovalTimeoutMs = 10_000

async function acquire(path: string, waiting: Waiting): Promise<FileLock> {
  const owner = await describeOurselves()
  const deadlineMs = performance.now() + waiting.timeoutMs
  for (let delayMs = 10; ; delayMs = Math.min(delayMs * 2, 250)) {
    waiting.signal?.throwIfAborted()
    if (await createLink(path, owner)) return { release: () => release(path, owner) }
    const holder = await readHolder(path)
    if (holder === undefined) continue
    if (performance.now() > deadlineMs)
      throw new FileLockTimeout(`${path} is held by process ${Number.parseInt(holder, 10)}`)
    if ((await findRunning(holder)) !== undefined) {
      // Throw the caller's abort reason, not the AbortError of the timer.
      await sleep(delayMs, undefined, { signal: waiting.signal }).catch(() => waiting.signal?.throwIfAborted())
    } else {
      await removeStale(path, holder, waiting)
    }
  }
}

/** Releasing twice is harmless: the second call finds no link, or that of the next holder. */
async function release(path: string, owner: string): Promise<void> {
  if ((await readHolder(path)) === owner) await unlink(path)
}

/**
 * Without a lock, two processes that judge the same link stale could both remove it, and the slower one would remove the
 * link that the faster one has created since. So a second lock guards the removal, and only the link that was judged is
 * removed. That second lock can become stale too and is removed in the same way.
 */
async function removeStale(path: string, holder: string, waiting: Waiting): Promise<void> {
  await withFileLock(`${path}.clearing`, waiting, async () => {
    if ((await readHolder(path)) === holder) await unlink(path)
  })
}

/** False when something is at the path already. */
async function createLink(path: string, owner: string): Promise<boolean> {
  try {
    await symlink(owner, path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Undefined when the lock has been released meanwhile. */
async function readHolder(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    // Not opened, so a pipe at the path cannot block us. Not removed either, since we did not create it.
    if (errnoOf(error) === 'EINVAL') throw new Error(`${path} is not a lock of Yardmaster's; remove it`)
    throw error
  }
}

/** The random part distinguishes locks that one process takes one after the other. */
async function describeOurselves(): Promise<string> {
  const identity = await processTable().identify(process.pid)
  if (identity === undefined) throw new Error('The process table does not list this process')
  return [identity.pid, encodeURIComponent(identity.startTime), randomUUID()].join(' ')
}

/** The holder, if its process still runs. A link that we did not write names no process and counts as stale. */
async function findRunning(holder: string): Promise<ProcessIdentity | undefined> {
  const [, pid, startTime] = /^(\d{1,10}) (\S+) \S+$/.exec(holder) ?? []
  if (pid === undefined || startTime === undefined) return undefined
  const identity = { pid: Number(pid), startTime: decodeURIComponent(startTime) }
  return (await processTable().isRunning(identity)) ? identity : undefined
}
