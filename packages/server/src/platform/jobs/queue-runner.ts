import { EventEmitter } from 'node:events'
import {
  type Job as ClaimedJob,
  type ParsedCronItem,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import type { RetryLevel } from '../log/retry-level.ts'
import { inWork } from '../log/work-context.ts'
import { boundName } from './enqueue.ts'
import { gate } from './gate.ts'
import { graphileLog } from './graphile-log.ts'
import { idsIn, type JobHandler } from './job.ts'
import { type QueueName, queues } from './queues.ts'
import { steadyPool } from './steady-pool.ts'
import { recordWorker } from './worker-locks.ts'

export type QueueRunner = {
  /** The id that its locks carry. */
  workerId: string
  /** Resolves when the runner died or lost track of its claims. The caller must replace it. */
  failed: Promise<void>
  setPaused(isPaused: boolean): void
  /** Stops claiming jobs. Resolves when those that run have ended and their outcome is recorded. */
  stop(): Promise<void>
}

export type QueueRunnerOptions<App> = {
  app: App
  db: Database
  pool: pg.Pool
  queue: QueueName
  /** How many jobs run at once. */
  concurrency: number
  handlers: readonly JobHandler<App>[]
  cron: ParsedCronItem[]
  hostId: string
  /** As this host knows it now. */
  isPaused(): boolean
  /** Aborted when the host can no longer wait for the outcome of jobs to be recorded. */
  giveUp: AbortSignal
  log: Log
  /** Called when a job has ended. */
  onEnded?(ended: { job: string; queue: QueueName; hasFailed: boolean }): void
  /** The log level of failed claims, shared by the runners that replace each other. */
  claimLevel: RetryLevel
}

/** For scheduled jobs and lost notifications. PostgreSQL notifies of jobs that are due now. */
const pollIntervalMs = 2000

/** graphile-worker would abort running jobs after its timeout; ours finish. */
const neverMs = 2 ** 31 - 1

/**
 * A graphile-worker runner. Each of its workers passes our gate before it claims a job and again before it starts it, so closing the gate
 * pauses the queue: running jobs and the cron clock continue.
 */
export async function startQueueRunner<App>(options: QueueRunnerOptions<App>): Promise<QueueRunner> {
  const { db, queue, hostId, log } = options
  const claims = gate()
  let fail: () => void = () => undefined
  const failed = new Promise<void>((resolve) => {
    fail = resolve
  })
  const steady = steadyPool(options.pool, {
    log,
    claimLevel: options.claimLevel,
    giveUp: options.giveUp,
    onClaimLost: fail,
  })
  const events: WorkerEvents = new EventEmitter()
  // Wrapped in an object, because the worker pool is itself a thenable that resolves when it ends.
  const created = new Promise<{ workerPool: WorkerPool }>((resolve) => events.once('pool:create', resolve))
  events.on('worker:getJob:error', fail)

  let isStopping = false
  const mayStart = async (): Promise<void> => {
    for (;;) {
      await claims.passed()
      if (isStopping || !options.isPaused()) return
      claims.close()
    }
  }
  const beforeEach = async (): Promise<void> => {
    await mayStart()
    if (options.isPaused()) throw new Error('The queue is paused and this host stops; the job runs later')
  }
  // Closed until the worker is recorded, so that after a crash this host can release every lock it took.
  claims.close()
  const runner = await run({
    pgPool: steady.pool,
    taskList: tasksOf(options, beforeEach),
    parsedCronItems: options.cron,
    concurrency: options.concurrency,
    noHandleSignals: true,
    pollInterval: pollIntervalMs,
    gracefulShutdownAbortTimeout: neverMs,
    logger: graphileLog(log, { queue }),
    events,
    forbiddenFlags: async () => {
      await mayStart()
      return null
    },
  })
  const { workerPool } = await created
  const ended = workerPool.promise.catch((error: unknown) =>
    log.error({ queue, reason: String(error) }, 'the runner of a queue died'),
  )
  void ended.then(fail)
  const stop = async (): Promise<void> => {
    isStopping = true
    // Not awaited: it also waits for the cron clock, which may sleep for a minute while the database is unavailable.
    runner.stop('asked to').catch(() => undefined)
    claims.open()
    await ended
    await steady.outcomesRecorded()
  }
  try {
    await recordWorker(db, { workerId: workerPool.id, hostId })
  } catch (error) {
    await stop()
    throw error
  }
  const setPaused = (isPaused: boolean): void => {
    // The workers must pass the gate once more to notice the stop.
    if (isStopping) return
    if (isPaused) claims.close()
    else claims.open()
  }
  setPaused(options.isPaused())
  return { workerId: workerPool.id, failed, setPaused, stop }
}

function tasksOf<App>(
  { app, handlers, hostId, queue, log, onEnded }: QueueRunnerOptions<App>,
  beforeEach: () => Promise<void>,
): TaskList {
  const limits: { about: string; lateAfterSeconds?: number } = queues[queue]
  const tasks: TaskList = {}
  for (const { job, perform } of handlers) {
    const run = async (payload: unknown, claimed: ClaimedJob): Promise<void> => {
      // The answer to a claim may be slow, and the queue be paused before it comes.
      await beforeEach()
      const lateSeconds = Math.round(secondsLate(claimed))
      if (lateSeconds > (limits.lateAfterSeconds ?? Number.POSITIVE_INFINITY))
        log.warn({ lateSeconds }, 'a job started late')
      let hasFailed = true
      try {
        await perform(payload, app)
        hasFailed = false
      } finally {
        onEnded?.({ job: job.name, queue, hasFailed })
      }
    }
    const task: Task = (payload, { job: claimed }) =>
      inWork({ job: job.name, queue, ...idsIn(payload) }, () => run(payload, claimed))
    tasks[job.name] = task
    tasks[boundName(job.name, hostId)] = task
  }
  return tasks
}

/** Both times are the database's. A retry is due when its pause is over. */
function secondsLate({ run_at, locked_at }: ClaimedJob): number {
  return locked_at ? (locked_at.getTime() - run_at.getTime()) / 1000 : 0
}
