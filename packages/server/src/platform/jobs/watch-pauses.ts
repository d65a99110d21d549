import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { findPausedQueues } from './pauses.ts'
import type { QueueName } from './queues.ts'

/** The paused queues as this host last read them. */
export type PausedQueues = {
  /** Also true when the last reading is too old to tell. */
  has(queue: QueueName): boolean
  /** Calls `listener` after every read. Returns a function that stops it. */
  onRead(listener: () => void): () => void
  close(): Promise<void>
}

/** Polling, unlike a notification, cannot miss a pause. */
const pollMs = 500

/**
 * A host starts work only by a reading that began less than this ago. A host that was frozen, or whose database is slow, reads
 * again first. So a pause binds every host this long after its commit, whatever state the host is in.
 */
const validMs = 1000

/** When a committed pause binds every host: the last job that started by an older reading has started by then. */
export const pauseBindsAfterMs = validMs + 250

export async function watchPauses({ db, log }: { db: Database; log: Log }): Promise<PausedQueues> {
  let begunAt = performance.now()
  let paused = await findPausedQueues(db)
  const listeners = new Set<() => void>()
  const closed = new AbortController()

  // Reads are sequential, so a slow answer never overwrites a newer one.
  const failureLevel = retryLevel()
  const poll = async (): Promise<void> => {
    for (let readAt = begunAt; ; ) {
      const pauseMs = Math.max(readAt + pollMs - performance.now(), 0)
      await wait(pauseMs, undefined, { signal: closed.signal }).catch(() => undefined)
      if (closed.signal.aborted) return
      readAt = performance.now()
      try {
        paused = await findPausedQueues(db)
        begunAt = readAt
        failureLevel.reset()
      } catch (error) {
        log[failureLevel.of(error)]({ err: error }, 'the paused queues could not be read')
        continue
      }
      for (const listener of listeners) listener()
    }
  }
  const polling = poll()
  return {
    has: (queue) => paused.has(queue) || performance.now() - begunAt > validMs,
    onRead: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      closed.abort()
      await polling
    },
  }
}

/** Where pauses are switched off. */
export const noPauses: PausedQueues = { has: () => false, onRead: () => () => undefined, close: async () => undefined }
