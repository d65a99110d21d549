import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { findPausedQueues } from './pauses.ts'
import type { QueueName } from './queues.ts'

/** The paused queues as this host last read them, at most half a second old while the database answers. */
export type PausedQueues = {
  has(queue: QueueName): boolean
  /** Calls `listener` after every read. Returns a function that stops it. */
  onRead(listener: () => void): () => void
  close(): Promise<void>
}

/** Half the second within which a pause takes effect. Polling, unlike a notification, cannot miss a pause. */
const pollMs = 500

export async function watchPauses({ db, log }: { db: Database; log: Log }): Promise<PausedQueues> {
  let paused = await findPausedQueues(db)
  const listeners = new Set<() => void>()
  const closed = new AbortController()

  // Reads are sequential, so a slow answer never overwrites a newer one.
  const failureLevel = retryLevel()
  const poll = async (): Promise<void> => {
    for (;;) {
      await wait(pollMs, undefined, { signal: closed.signal }).catch(() => undefined)
      if (closed.signal.aborted) return
      try {
        paused = await findPausedQueues(db)
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
    has: (queue) => paused.has(queue),
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
