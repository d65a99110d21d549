import { EventEmitter } from 'node:events'
import { type ParsedCronItem, run, type Task, type TaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { boundName } from './enqueue.ts'
import { gate } from './gate.ts'
import { graphileLog } from './graphile-log.ts'
import type { JobHandler } from './job.ts'
import { type QueueName, queues } from './queues.ts'
import { steadyPool } from './steady-pool.ts'
import { recordWorker } from './worker-locks.ts'

export type QueueRunner = {
  /** In whose name it locks its jobs. */
  workerId: string
  /** Resolves when it has died or can no longer be trusted: stop it and start another. */
  spent: Promise<void>
  setPaused(isPaused: boolean): void
  /** Claims nothing more; resolves when what it runs has ended and that is on record. */
  stop(): Promise<void>
}

export type QueueRunnerOptions<App> = {
  app: App
  db: Database
  pool: pg.Pool
  queue: QueueName
  handlers: readonly JobHandler<App>[]
  cron: ParsedCronItem[]
  hostId: string
  isPaused: boolean
  /** Aborted when even the ends of jobs may stay unrecorded, because the host has to go. */
  impatience: AbortSignal
  log: Log
}

/** Covers a lost announcement and jobs whose time comes; a job that is due now is announced by PostgreSQL itself. */
const pollIntervalMs = 2000

/** A runner that is stopped lets its jobs finish; the library would cut them off. */
const neverMs = 2 ** 31 - 1

/**
 * One of the library's runners. Each of its workers passes our gate before it looks for a job, so pausing is closing
 * the gate: what runs goes on, and so does the clock of recurring jobs.
 */
export async function startQueueRunner<App>(options: QueueRunnerOptions<App>): Promise<QueueRunner> {
  const { db, queue, hostId, impatience, log } = options
  const claims = gate()
  let giveUp: () => void = () => undefined
  const spent = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const steady = steadyPool(options.pool, { log, impatience, onClaimLost: giveUp })
  const events: WorkerEvents = new EventEmitter()
  // Handed on in a wrapping: the library's pool is itself a promise, of its end.
  const created = new Promise<{ workerPool: WorkerPool }>((resolve) => events.once('pool:create', resolve))
  events.on('worker:getJob:error', giveUp)

  // Closed until the worker's name is on record: after a crash of ours this host finds and releases what it locked.
  claims.close()
  const runner = await run({
    pgPool: steady.pool,
    taskList: tasksOf(options),
    parsedCronItems: options.cron,
    concurrency: queues[queue].concurrency,
    noHandleSignals: true,
    pollInterval: pollIntervalMs,
    gracefulShutdownAbortTimeout: neverMs,
    logger: graphileLog(log, { queue }),
    events,
    forbiddenFlags: async () => {
      await claims.passed()
      return null
    },
  })
  const { workerPool } = await created
  const ended = workerPool.promise.catch((error: unknown) =>
    log.error({ queue, reason: String(error) }, 'the runner of a queue died'),
  )
  void ended.then(giveUp)
  let isStopping = false
  const stop = async (): Promise<void> => {
    isStopping = true
    // The runner's own promise also waits for its clock, which may sleep for a minute when the database is away.
    runner.stop('asked to').catch(() => undefined)
    claims.open()
    await ended
    await steady.endsRecorded()
  }
  try {
    await recordWorker(db, { workerId: workerPool.id, hostId })
  } catch (error) {
    await stop()
    throw error
  }
  const setPaused = (isPaused: boolean): void => {
    // Its workers must pass once more to learn that they are to end.
    if (isStopping) return
    if (isPaused) claims.close()
    else claims.open()
  }
  setPaused(options.isPaused)
  return { workerId: workerPool.id, spent, setPaused, stop }
}

function tasksOf<App>({ app, handlers, hostId }: QueueRunnerOptions<App>): TaskList {
  const tasks: TaskList = {}
  for (const { job, perform } of handlers) {
    const task: Task = (payload) => perform(payload, app)
    tasks[job.name] = task
    tasks[boundName(job.name, hostId)] = task
  }
  return tasks
}
