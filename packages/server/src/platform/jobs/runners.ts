import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { type CronEntry, parseCronTable } from './cron.ts'
import type { JobHandler } from './job.ts'
import type { QueueRunnerOptions } from './queue-runner.ts'
import { type JobThreads, queueNames, queues } from './queues.ts'
import { openQueue, type RunningQueue } from './running-queue.ts'
import type { PausedQueues } from './watch-pauses.ts'
import { releaseLocks } from './worker-locks.ts'

export type Runners = {
  /** Stops claiming jobs and waits for those that run. */
  drain(): Promise<void>
}

type RunnersOptions<App> = {
  app: App
  db: Database
  pool: pg.Pool
  handlers: readonly JobHandler<App>[]
  cron: readonly CronEntry[]
  /** Default: as each queue declares it. */
  threads?: JobThreads
  paused: Pick<PausedQueues, 'has' | 'onRead'>
  hostId: string
  log: Log
  onEnded?: QueueRunnerOptions<App>['onEnded']
}

/** Starts a runner for each queue that has a handler on this host. */
export async function startRunners<App>({
  cron,
  handlers,
  threads,
  paused,
  ...host
}: RunnersOptions<App>): Promise<Runners> {
  const { db, hostId } = host
  const cronTable = parseCronTable(cron, handlers)
  // Releases what this host had locked when it died.
  await releaseLocks(db, { hostId })
  const opened: RunningQueue[] = []
  const drainAll = () => Promise.all(opened.map((queue) => queue.drain()))
  try {
    for (const queue of queueNames) {
      const own = handlers.filter(({ job }) => job.queue === queue)
      if (own.length === 0) continue
      const isPaused = () => paused.has(queue)
      const concurrency = threads?.[queue] ?? queues[queue].concurrency
      const ownCron = cronTable.get(queue) ?? []
      opened.push(await openQueue({ ...host, queue, concurrency, handlers: own, cron: ownCron, isPaused }))
    }
  } catch (error) {
    await drainAll()
    throw error
  }
  const stopWatching = paused.onRead(() => {
    for (const running of opened) running.setPaused(paused.has(running.queue))
  })
  return {
    drain: async () => {
      stopWatching()
      await drainAll()
    },
  }
}
