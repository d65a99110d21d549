import { expect, test } from 'vitest'
import { transact } from '../../../src/platform/db/transact.ts'
import { enqueue } from '../../../src/platform/jobs/enqueue.ts'
import { testDatabase } from '../../support/database/database.ts'
import { enqueueWord, openTestDatabase, wordJob } from '../../support/jobs/job-host.ts'

const job = wordJob('default')

test('a job exists when its transaction commits', async () => {
  const { db, jobs } = await jobsDatabase()

  await transact(db, (tx) => enqueue(tx, job, { word: 'kept' }))

  expect(await jobs()).toMatchObject([{ task_identifier: 'default_word', attempts: 0, max_attempts: 3 }])
})

test('a job does not exist when its transaction rolls back', async () => {
  const { db, jobs } = await jobsDatabase()

  const attempt = transact(db, async (tx) => {
    await enqueue(tx, job, { word: 'lost' })
    throw new Error('changed my mind')
  })

  await expect(attempt).rejects.toThrow('changed my mind')
  expect(await jobs()).toEqual([])
})

test('no other connection sees a job before its transaction commits', async () => {
  const { db, jobs } = await jobsDatabase()

  await transact(db, async (tx) => {
    await enqueue(tx, job, { word: 'soon' })
    expect(await jobs()).toEqual([])
  })

  expect(await jobs()).toHaveLength(1)
})

test('enqueue rejects a payload that does not match its schema and writes nothing', async () => {
  const { db, jobs } = await jobsDatabase()
  // As a caller that bypasses the types would send it.
  const wrong = { word: 7 } as unknown as { word: string }

  await expect(transact(db, (tx) => enqueue(tx, job, wrong))).rejects.toThrow('expected string')
  expect(await jobs()).toEqual([])
})

test('a waiting job is replaced by another job with the same key', async () => {
  const { db, pool, jobs } = await jobsDatabase()

  await enqueueWord(db, job, 'first', { key: 'same' })
  await enqueueWord(db, job, 'second', { key: 'same' })
  await enqueueWord(db, job, 'other', { key: 'other' })

  expect(await jobs()).toHaveLength(2)
  const { rows } = await pool.query(
    `select payload->>'word' as word from graphile_worker._private_jobs order by payload->>'word'`,
  )
  expect(rows).toEqual([{ word: 'other' }, { word: 'second' }])
})

test('fifty concurrent enqueues with one key leave one job', async () => {
  const { db, jobs } = await jobsDatabase()

  await Promise.all(Array.from({ length: 50 }, (_, index) => enqueueWord(db, job, `${index}`, { key: 'same' })))

  expect(await jobs()).toHaveLength(1)
})

test('a job can be scheduled for later, by the clock of the database', async () => {
  const { db, pool } = await jobsDatabase()

  await enqueueWord(db, job, 'later', { delayMs: 90_000 })

  const { rows } = await pool.query(
    'select extract(epoch from run_at - created_at)::int as seconds from graphile_worker.jobs',
  )
  expect(rows).toEqual([{ seconds: 90 }])
})

async function jobsDatabase() {
  const { url, pool } = await testDatabase()
  const jobs = async () => (await pool.query('select * from graphile_worker.jobs order by id')).rows
  return { pool, jobs, db: openTestDatabase(url).db }
}
