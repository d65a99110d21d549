import { setTimeout as wait } from 'node:timers/promises'
import { type QueueRunnerOptions, startQueueRunner } from './queue-runner.ts'
import { releaseLocks } from './worker-locks.ts'

/** A queue on this host. */
export type Lane = {
  queue: QueueRunnerOptions<unknown>['queue']
  setPaused(isPaused: boolean): void
  /** Claims nothing more and waits for the jobs that run. */
  drain(): Promise<void>
}

/** How long a drain waits for a database that is away, so that it learns of the last jobs' ends. */
const lastWordsMs = 5000

const restartDelayMs = 1000

/** Keeps the queue's runner running: one that is spent is stopped, what it had locked is released, and another starts. */
export async function openLane<App>(options: Omit<QueueRunnerOptions<App>, 'impatience'>): Promise<Lane> {
  const { queue, db, log } = options
  const draining = new AbortController()
  const impatience = new AbortController()
  let { isPaused } = options
  let runner = await start()
  const kept = keep()

  function start() {
    return startQueueRunner({ ...options, isPaused, impatience: impatience.signal })
  }
  async function keep(): Promise<void> {
    const drained = new Promise<void>((resolve) => draining.signal.addEventListener('abort', () => resolve()))
    for (;;) {
      await Promise.race([runner.spent, drained])
      await runner.stop()
      if (draining.signal.aborted) return
      log.warn({ queue }, 'the runner of a queue lost its database; starting another')
      await replace()
    }
  }
  async function replace(): Promise<void> {
    while (!draining.signal.aborted) {
      try {
        await releaseLocks(db, { workerId: runner.workerId })
        runner = await start()
        runner.setPaused(isPaused)
        return
      } catch (error) {
        log.debug({ queue, reason: String(error) }, 'the runner of a queue could not be started now; trying again')
        await wait(restartDelayMs, undefined, { signal: draining.signal }).catch(() => undefined)
      }
    }
  }
  return {
    queue,
    setPaused: (paused) => {
      isPaused = paused
      runner.setPaused(paused)
    },
    drain: async () => {
      draining.abort()
      const patience = setTimeout(() => impatience.abort(), lastWordsMs)
      await kept
      clearTimeout(patience)
    },
  }
}
