import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase, openPool } from '../../../src/platform/db/database.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import type { CronEntry } from '../../../src/platform/jobs/cron.ts'
import { type EnqueueOptions, enqueue } from '../../../src/platform/jobs/enqueue.ts'
import { defineJob, type Job, type JobHandler, jobHandling } from '../../../src/platform/jobs/job.ts'
import type { JobThreads, QueueName } from '../../../src/platform/jobs/queues.ts'
import { type Runners, startRunners } from '../../../src/platform/jobs/runners.ts'
import { watchPauses } from '../../../src/platform/jobs/watch-pauses.ts'
import type { Log } from '../../../src/platform/log/log.ts'
import { silentLog } from '../log/silent-log.ts'

/** The payload of the test jobs: a word that identifies the job. */
export type Word = { word: string }

export const handleJob = jobHandling<undefined>()

export function wordJob(queue: QueueName, name = `${queue}_word`, attempts = 3): Job<Word> {
  return defineJob({ name, queue, payload: z.object({ word: z.string() }), attempts })
}

/** A database handle as a host opens it, closed when the test finishes. */
export function openTestDatabase(url: string, max = 10): { db: Database; pool: ReturnType<typeof openPool> } {
  const pool = openPool({ connectionString: url }, { max, log: silentLog, name: 'test' })
  const db = openDatabase(pool)
  onTestFinished(() => db.destroy())
  return { db, pool }
}

export function enqueueWord(db: Database, job: Job<Word>, word: string, options?: EnqueueOptions): Promise<void> {
  return transact(db, (tx) => enqueue(tx, job, { word }, options))
}

/** The runners of one host, drained when the test finishes. */
export async function startJobHost(options: {
  url: string
  handlers: readonly JobHandler<undefined>[]
  cron?: readonly CronEntry[]
  threads?: JobThreads
  hostId?: string
  log?: Log
}): Promise<Runners & { hostId: string }> {
  const { url, handlers, cron = [], threads, hostId = randomUUID(), log = silentLog } = options
  const { db } = openTestDatabase(url, 4)
  const jobsPool = openPool({ connectionString: url }, { max: 12, log, name: 'jobs' })
  onTestFinished(() => jobsPool.end())
  const paused = await watchPauses({ db, log })
  onTestFinished(() => paused.close())
  const runners = await startRunners({
    ...{ app: undefined, db, pool: jobsPool, handlers, cron, paused, hostId, log },
    ...(threads && { threads }),
  })
  onTestFinished(() => runners.drain())
  return { ...runners, hostId }
}

/** A handler that blocks until `release` is called, so that a test can inspect a job while it runs. */
export function heldJob(job: Job<Word>): {
  handler: JobHandler<undefined>
  begun: string[]
  ended: string[]
  release(): void
} {
  const begun: string[] = []
  const ended: string[] = []
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const handler = handleJob(job, async ({ word }) => {
    begun.push(word)
    await released
    ended.push(word)
  })
  return { handler, begun, ended, release: () => release() }
}
