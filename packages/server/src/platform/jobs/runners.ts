import { EventEmitter } from 'node:events'
import { type ParsedCronItem, type Runner, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import type { CronEntry } from './cron.ts'
import { parseCronTable } from './cron.ts'
import { boundName } from './enqueue.ts'
import { graphileLog } from './graphile-log.ts'
import type { JobHandler } from './job.ts'
import { findPausedQueues } from './pauses.ts'
import { type QueueName, queueNames, queues } from './queues.ts'

export type Runners = {
  /** Stops claiming and waits for the jobs that run. */
  drain(): Promise<void>
}

type RunnerOptions<App> = {
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

/** Covers a lost announcement and jobs whose time comes; a job that is due now is announced by PostgreSQL itself. */
const pollIntervalMs = 2000

/** A queue that is halted lets its running jobs finish; the library would cut them off. */
const neverMs = 2 ** 31 - 1

/** Starts a runner for each queue and keeps each in the state the database asks for: paused queues have none. */
export async function startRunners<App>(options: RunnerOptions<App>): Promise<Runners> {
  await releaseOwnLocks(options)
  const cronTable = parseCronTable(options.cron)
  const lanes = queueNames
    .filter((queue) => options.handlers.some(({ job }) => job.queue === queue))
    .map((queue) => openLane(options, queue, cronTable.get(queue) ?? []))
  let isDraining = false

  const reconcile = async (): Promise<void> => {
    const paused = await findPausedQueues(options.db)
    await Promise.all(lanes.map((lane) => (isDraining || paused.has(lane.queue) ? lane.stop() : lane.start())))
  }
  await reconcile()
  const checks = setInterval(() => {
    reconcile().catch((error: unknown) =>
      options.log.debug({ reason: String(error) }, 'the paused queues could not be read'),
    )
  }, pauseCheckMs)
  return {
    drain: async () => {
      isDraining = true
      clearInterval(checks)
      await Promise.all(lanes.map((lane) => lane.stop()))
    },
  }
}

type Lane = { queue: QueueName; start(): Promise<void>; stop(): Promise<void> }

/** A queue's runner with its wishes in order: starts and stops never overlap, and a runner that dies is replaced. */
function openLane<App>(options: RunnerOptions<App>, queue: QueueName, cronItems: ParsedCronItem[]): Lane {
  let runner: Runner | undefined
  let isWanted = false
  let step: Promise<void> = Promise.resolve()

  const settle = (): Promise<void> => {
    const next = step.then(async () => {
      if (isWanted && !runner) await start()
      else if (!isWanted && runner) await stop(runner)
    })
    step = next.catch(() => undefined)
    return next
  }
  const start = async (): Promise<void> => {
    const started = await startRunner(options, queue, cronItems)
    runner = started
    started.promise.catch((error: unknown) => {
      options.log.error({ queue, reason: String(error) }, 'the runner of a queue died; the next check starts a new one')
      if (runner === started) runner = undefined
    })
  }
  const stop = async (stopping: Runner): Promise<void> => {
    runner = undefined
    await stopping.stop('queue halted')
  }
  const want = (wanted: boolean): Promise<void> => {
    isWanted = wanted
    return settle()
  }
  return { queue, start: () => want(true), stop: () => want(false) }
}

async function startRunner<App>(
  { app, db, pool, handlers, hostId, log }: RunnerOptions<App>,
  queue: QueueName,
  cronItems: ParsedCronItem[],
): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter()
  // A job is locked in the name of the pool. The name is on record before the first job runs, so that after a crash
  // of ours this host can find and release what it had locked.
  const onRecord = new Promise<void>((resolve, reject) => {
    events.once('pool:create', ({ workerPool }) => {
      db.insertInto('job_workers')
        .values({ worker_id: workerPool.id, host_id: hostId })
        .execute()
        .then(() => resolve(), reject)
    })
  })
  onRecord.catch(() => undefined)
  const taskList: TaskList = {}
  for (const { job, perform } of handlers.filter((handler) => handler.job.queue === queue)) {
    const task: Task = async (payload) => {
      await onRecord
      await perform(payload, app)
    }
    taskList[job.name] = task
    taskList[boundName(job.name, hostId)] = task
  }
  return run({
    pgPool: pool,
    taskList,
    parsedCronItems: cronItems,
    concurrency: queues[queue].concurrency,
    noHandleSignals: true,
    pollInterval: pollIntervalMs,
    gracefulShutdownAbortTimeout: neverMs,
    logger: graphileLog(log, { queue }),
    events,
  })
}

/** What this host had locked before it died would otherwise stay locked for hours. */
async function releaseOwnLocks<App>({ db, hostId }: RunnerOptions<App>): Promise<void> {
  await sql`
    with former as (
      delete from job_workers where host_id = ${hostId} returning worker_id
    )
    select graphile_worker.force_unlock_workers(array(select worker_id from former))
  `.execute(db)
}
