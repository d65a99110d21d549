import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/platform/jobs/job.ts'
import { pauseQueue, resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { type JobThreads, queues } from '../../../src/platform/jobs/queues.ts'
import { testDatabase } from '../../support/database/database.ts'
import {
  enqueueWord,
  handleJob,
  heldJob,
  openTestDatabase,
  startJobHost,
  type Word,
  wordJob,
} from '../../support/jobs/job-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const job = wordJob('default')
const other = wordJob('pollers')

describe('running', () => {
  test('every job runs once, with any number of hosts', async () => {
    const { url, db, pool } = await jobsDatabase()
    const done: string[] = []
    const handlers = [recording(job, done)]
    await Promise.all([startJobHost({ url, handlers }), startJobHost({ url, handlers })])
    const words = Array.from({ length: 40 }, (_, index) => `word ${index}`)

    await Promise.all(words.map((word) => enqueueWord(db, job, word)))

    await eventually(
      async () => (await pool.query('select 1 from graphile_worker.jobs')).rowCount,
      (count) => count === 0,
    )
    expect(done.toSorted()).toEqual(words.toSorted())
  })

  test.each([
    ['it declares', queues.default.concurrency],
    ['the operator says', 1],
  ])('a queue runs as many jobs at a time as %s, and does not hold up another queue', async (_, concurrency) => {
    const { url, db } = await jobsDatabase()
    const held = heldJob(job)
    const done: string[] = []
    const declared = Object.entries(queues).map(([name, queue]) => [name, queue.concurrency])
    const threads = { ...(Object.fromEntries(declared) as JobThreads), default: concurrency } // each queue under its name
    await startJobHost({ url, threads, handlers: [held.handler, recording(other, done)] })
    for (let count = 0; count < concurrency + 2; count += 1) await enqueueWord(db, job, `${count}`)
    await eventually(
      async () => held.begun.length,
      (count) => count === concurrency,
    )

    await enqueueWord(db, other, 'free')

    await seen(done, 'free')
    expect(held.begun).toHaveLength(concurrency)
    held.release()
    await eventually(
      async () => held.ended.length,
      (count) => count === concurrency + 2,
    )
  })

  test('a job that throws is retried later, and its row has the error', async () => {
    const { url, db, pool } = await jobsDatabase()
    await startJobHost({
      url,
      handlers: [
        handleJob(job, async () => {
          throw new Error('not today')
        }),
      ],
    })

    await enqueueWord(db, job, 'hopeless')

    const row = await eventually(
      async () => (await pool.query('select *, run_at > now() as is_later from graphile_worker.jobs')).rows[0],
      ({ last_error }) => last_error !== null,
    )
    expect(row).toMatchObject({
      attempts: 1,
      max_attempts: 3,
      last_error: 'not today',
      locked_by: null,
      is_later: true,
    })
  })

  test('a job of a queue where someone waits is logged as late when it starts two minutes after it was due', async () => {
    const { url, db, pool } = await jobsDatabase()
    const done: string[] = []
    const { log, records } = recordedLog('warn')
    for (const each of [job, other]) await enqueueWord(db, each, `late ${each.queue}`)
    await pool.query(`update graphile_worker._private_jobs set run_at = run_at - interval '130 seconds'`)
    await enqueueWord(db, other, 'in time')

    await startJobHost({ url, handlers: [recording(job, done), recording(other, done)], log })

    for (const word of ['late default', 'late pollers', 'in time']) await seen(done, word)
    const late = records().filter(({ msg }) => msg === 'a job started late')
    expect(late).toMatchObject([{ queue: 'pollers', job: other.name, lateSeconds: expect.any(Number) }])
    expect(late[0]?.lateSeconds).toBeGreaterThanOrEqual(130)
  })

  test('a job without attempts left stays with its error and is not retried', async () => {
    const { url, db, pool } = await jobsDatabase()
    const lastChance = wordJob('default', 'last_chance', 1)
    const done: string[] = []
    await startJobHost({
      url,
      handlers: [
        handleJob(lastChance, async () => {
          throw new Error('gone')
        }),
        recording(job, done),
      ],
    })

    await enqueueWord(db, lastChance, 'only')
    await eventually(
      async () => (await pool.query('select last_error from graphile_worker.jobs')).rows[0].last_error,
      (error) => error === 'gone',
    )
    await pool.query(`update graphile_worker._private_jobs set run_at = now() - interval '1 hour'`)
    await enqueueWord(db, job, 'next')
    await seen(done, 'next')

    expect(await onlyJob(pool)).toMatchObject({ attempts: 1, max_attempts: 1 })
  })

  test('a payload that does not match its schema fails with a readable error, and the handler is not called', async () => {
    const { url, pool } = await jobsDatabase()
    const done: string[] = []
    await startJobHost({ url, handlers: [recording(job, done)] })

    await pool.query(`select graphile_worker.add_job('default_word', '{"word": 7}')`)

    const error = await eventually(
      async () => (await pool.query('select last_error from graphile_worker.jobs')).rows[0].last_error,
      (text) => text !== null,
    )
    expect(error).toMatch(/^the payload of job default_word does not match its schema: .*expected string/)
    expect(error).toContain('word')
    expect(done).toEqual([])
  })

  test('a job bound to a host runs on no other host', async () => {
    const { url, db, pool } = await jobsDatabase()
    const doneHere: string[] = []
    const doneThere: string[] = []
    const here = await startJobHost({ url, handlers: [recording(job, doneHere)] })
    const there = randomUUID()

    await enqueueWord(db, job, 'theirs', { hostId: there })
    await enqueueWord(db, job, 'mine', { hostId: here.hostId })
    await seen(doneHere, 'mine')

    expect(doneHere).toEqual(['mine'])
    expect(await onlyJob(pool)).toMatchObject({ attempts: 0 })
    await startJobHost({ url, handlers: [recording(job, doneThere)], hostId: there })
    await seen(doneThere, 'theirs')
    expect(doneHere).toEqual(['mine'])
  })
})

describe('pausing', () => {
  test('a paused queue starts no job on any host; running jobs and other queues continue', async () => {
    const { url, db, pool } = await jobsDatabase()
    const held = heldJob(job)
    const done: string[] = []
    const handlers = [held.handler, recording(other, done)]
    const hosts = [await startJobHost({ url, handlers }), await startJobHost({ url, handlers })]
    expect(hosts[0]?.hostId).not.toBe(hosts[1]?.hostId)
    await enqueueWord(db, job, 'running')
    await seen(held.begun, 'running')

    await pauseQueue(db, 'default', 'a test')
    await overASecond()
    await enqueueWord(db, job, 'waiting')
    await enqueueWord(db, other, 'elsewhere')
    await seen(done, 'elsewhere')
    held.release()
    await seen(held.ended, 'running')
    await overASecond()

    expect(held.begun).toEqual(['running'])
    expect(await onlyJob(pool)).toMatchObject({ attempts: 0 })
    await resumeQueue(db, 'default')
    await seen(held.ended, 'waiting')
  })

  test('a resumed queue continues at once, even while a long job from before the pause still runs', async () => {
    const { url, db } = await jobsDatabase()
    const long = heldJob(job)
    const short = wordJob('default', 'short')
    const done: string[] = []
    await startJobHost({ url, handlers: [long.handler, recording(short, done)] })
    await enqueueWord(db, job, 'long')
    await seen(long.begun, 'long')
    await pauseQueue(db, 'default', 'a test')
    await overASecond()

    await resumeQueue(db, 'default')
    await enqueueWord(db, short, 'short')

    await seen(done, 'short')
    expect(long.ended).toEqual([])
    long.release()
  })

  test('a queue that is paused at start runs no job until it is resumed', async () => {
    const { url, db } = await jobsDatabase()
    const done: string[] = []
    await pauseQueue(db, 'default', 'a test')
    await enqueueWord(db, job, 'waiting')
    await startJobHost({ url, handlers: [recording(job, done), recording(other, done)] })
    await enqueueWord(db, other, 'elsewhere')
    await seen(done, 'elsewhere')

    expect(done).toEqual(['elsewhere'])
    await resumeQueue(db, 'default')
    await seen(done, 'waiting')
  })

  test('pausing twice keeps the last reason, and resuming an active queue is no error', async () => {
    const { db, pool } = await jobsDatabase()

    await pauseQueue(db, 'triggers', 'first')
    await pauseQueue(db, 'triggers', 'second')
    expect((await pool.query('select queue, reason from paused_queues')).rows).toEqual([
      { queue: 'triggers', reason: 'second' },
    ])

    await resumeQueue(db, 'triggers')
    await resumeQueue(db, 'triggers')
    expect((await pool.query('select queue from paused_queues')).rows).toEqual([])
  })
})

describe('draining', () => {
  test('a drain waits for running jobs and claims no new ones', async () => {
    const { url, db, pool } = await jobsDatabase()
    const held = heldJob(job)
    const host = await startJobHost({ url, handlers: [held.handler] })
    await enqueueWord(db, job, 'running')
    await seen(held.begun, 'running')
    let isDrained = false

    const drained = host.drain().then(() => {
      isDrained = true
    })
    // A worker that was claiming when the drain began may still get a job.
    await overASecond()
    await enqueueWord(db, job, 'too late')
    await overASecond()
    expect(isDrained).toBe(false)
    held.release()
    await drained

    expect(held.ended).toEqual(['running'])
    // The outcome is recorded before the drain ends, because the database is closed next.
    expect((await pool.query('select attempts, locked_by from graphile_worker.jobs')).rows).toEqual([
      { attempts: 0, locked_by: null },
    ])
  })

  test('a paused queue can be drained, and its waiting jobs stay untouched', async () => {
    const { url, db, pool } = await jobsDatabase()
    const done: string[] = []
    await pauseQueue(db, 'default', 'a test')
    const host = await startJobHost({ url, handlers: [recording(job, done)] })
    await enqueueWord(db, job, 'waiting')

    await host.drain()

    expect(done).toEqual([])
    expect((await pool.query('select attempts, locked_by from graphile_worker.jobs')).rows).toEqual([
      { attempts: 0, locked_by: null },
    ])
  })

  test('a second drain is harmless', async () => {
    const { url } = await jobsDatabase()
    const host = await startJobHost({ url, handlers: [recording(job, [])] })

    await host.drain()
    await host.drain()
  })
})

describe('after a crash', () => {
  test('a host that restarts runs the jobs it had locked and leaves the locks of other hosts', async () => {
    const { url, db, pool } = await jobsDatabase()
    const hostId = randomUUID()
    const theirs = wordJob('default', 'theirs')
    await pool.query('insert into job_workers (worker_id, host_id) values ($1, $2), ($3, $4)', [
      'pool-of-mine',
      hostId,
      'pool-of-theirs',
      randomUUID(),
    ])
    await enqueueWord(db, job, 'cut short')
    await lockAll(pool, 'pool-of-mine')
    await enqueueWord(db, theirs, 'underway')
    await lockAll(pool, 'pool-of-theirs')
    const done: string[] = []

    await startJobHost({ url, handlers: [recording(job, done), recording(theirs, done)], hostId })

    await seen(done, 'cut short')
    // A worker that claims these two has skipped the locked job.
    for (const word of ['later', 'later still']) {
      await enqueueWord(db, job, word)
      await seen(done, word)
    }
    expect(done).toEqual(['cut short', 'later', 'later still'])
    expect(await onlyJob(pool)).toMatchObject({ locked_by: 'pool-of-theirs' })
  })

  test('a worker is recorded before it locks its first job', async () => {
    const { url, db, pool } = await jobsDatabase()
    const held = heldJob(job)
    const host = await startJobHost({ url, handlers: [held.handler] })
    await enqueueWord(db, job, 'running')
    await seen(held.begun, 'running')

    const { rows } = await pool.query(
      'select host_id from graphile_worker.jobs join job_workers on worker_id = locked_by',
    )

    expect(rows).toEqual([{ host_id: host.hostId }])
    held.release()
  })
})

async function jobsDatabase() {
  const { url, pool } = await testDatabase()
  return { url, pool, db: openTestDatabase(url).db }
}

function recording(of: Job<Word>, done: string[]) {
  return handleJob(of, async ({ word }) => void done.push(word))
}

function seen(words: readonly string[], word: string) {
  return eventually(
    async () => words,
    (all) => all.includes(word),
  )
}

/** A pause takes effect within a second; the rest is for a busy machine. */
function overASecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500))
}

/** The job that is left once every finished one is deleted, which happens a moment after its handler returned. */
async function onlyJob(pool: Awaited<ReturnType<typeof testDatabase>>['pool']): Promise<unknown> {
  const [left] = await eventually(
    async () => (await pool.query('select attempts, max_attempts, locked_by from graphile_worker.jobs')).rows,
    (rows) => rows.length === 1,
  )
  return left
}

async function lockAll(pool: Awaited<ReturnType<typeof testDatabase>>['pool'], worker: string): Promise<void> {
  await pool.query(
    `update graphile_worker._private_jobs set locked_by = $1, locked_at = now(), attempts = 1 where locked_by is null`,
    [worker],
  )
}
