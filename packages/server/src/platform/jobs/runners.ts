import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { type CronEntry, parseCronTable } from './cron.ts'
import type { JobHandler } from './job.ts'
import { findPausedQueues } from './pauses.ts'
import { queueNames } from './queues.ts'
import { type Lane, openLane } from './running-queue.ts'
import { releaseLocks } from './worker-locks.ts'

export type Runners = {
  /** Stops claiming and waits for the jobs that run. */
  drain(): Promise<void>
}

type RunnersOptions<App> = {
  app: App
  db: Database
  pool: pg.Pool
  handlers: readonly JobHandler<App>[]
  cron: readonly CronEntry[]
  hostId: string
  log: Log
}

/** Half the second within which a pause is honoured. The row is the truth; no host depends on hearing of it. */
const pauseCheckMs = 500

/** Starts a runner for each queue that has work here, and keeps each paused or going as the database asks. */
export async function startRunners<App>({ cron, handlers, ...host }: RunnersOptions<App>): Promise<Runners> {
  const { db, hostId, log } = host
  const cronTable = parseCronTable(cron, handlers)
  // What this host had locked before it died.
  await releaseLocks(db, { hostId })
  const lanes: Lane[] = []
  const drainLanes = () => Promise.all(lanes.map((lane) => lane.drain()))
  try {
    const paused = await findPausedQueues(db)
    for (const queue of queueNames) {
      const own = handlers.filter(({ job }) => job.queue === queue)
      if (own.length === 0) continue
      const isPaused = paused.has(queue)
      lanes.push(await openLane({ ...host, queue, handlers: own, cron: cronTable.get(queue) ?? [], isPaused }))
    }
  } catch (error) {
    await drainLanes()
    throw error
  }
  const stopped = new AbortController()
  const watch = watchPauses(lanes, { db, log, signal: stopped.signal })
  return {
    drain: async () => {
      stopped.abort()
      await Promise.all([drainLanes(), watch])
    },
  }
}

/** One look after the other, so that a slow answer never overtakes a newer one. */
async function watchPauses(
  lanes: readonly Lane[],
  { db, log, signal }: { db: Database; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const paused = await findPausedQueues(db)
      for (const lane of lanes) lane.setPaused(paused.has(lane.queue))
    } catch (error) {
      log.debug({ reason: String(error) }, 'the paused queues could not be read')
    }
    await wait(pauseCheckMs, undefined, { signal }).catch(() => undefined)
  }
}
