import { setTimeout as wait } from 'node:timers/promises'
import { retryLevel } from '../log/retry-level.ts'
import { type QueueRunnerOptions, startQueueRunner } from './queue-runner.ts'
import { releaseLocks } from './worker-locks.ts'

/** A queue as this host runs it. */
export type RunningQueue = {
  queue: QueueRunnerOptions<unknown>['queue']
  setPaused(isPaused: boolean): void
  /** Stops claiming jobs and waits for those that run. */
  drain(): Promise<void>
}

/** How long a drain waits for an unavailable database, to record the outcome of the last jobs. */
const drainTimeoutMs = 5000

const restartDelayMs = 1000

/** Keeps a runner for the queue. When one fails, stops it, releases its locks and starts another. */
export async function openQueue<App>(
  options: Omit<QueueRunnerOptions<App>, 'giveUp' | 'claimLevel'>,
): Promise<RunningQueue> {
  const { queue, db, log } = options
  const draining = new AbortController()
  const giveUp = new AbortController()
  const claimLevel = retryLevel()
  let runner = await start()
  const keeping = keepRunning()

  function start() {
    return startQueueRunner({ ...options, giveUp: giveUp.signal, claimLevel })
  }
  async function keepRunning(): Promise<void> {
    const drained = new Promise<void>((resolve) => draining.signal.addEventListener('abort', () => resolve()))
    for (;;) {
      await Promise.race([runner.failed, drained])
      await runner.stop()
      if (draining.signal.aborted) return
      log.warn({ queue }, 'the runner of a queue stopped; starting another')
      await replace()
    }
  }
  const failureLevel = retryLevel()
  async function replace(): Promise<void> {
    while (!draining.signal.aborted) {
      try {
        await releaseLocks(db, { workerId: runner.workerId })
        runner = await start()
        runner.setPaused(options.isPaused())
        failureLevel.reset()
        return
      } catch (error) {
        log[failureLevel.of(error)]({ queue, err: error }, 'the runner of a queue could not be started; trying again')
        await wait(restartDelayMs, undefined, { signal: draining.signal }).catch(() => undefined)
      }
    }
  }
  return {
    queue,
    setPaused: (isPaused) => runner.setPaused(isPaused),
    drain: async () => {
      draining.abort()
      const timeout = setTimeout(() => giveUp.abort(), drainTimeoutMs)
      await keeping
      clearTimeout(timeout)
    },
  }
}
