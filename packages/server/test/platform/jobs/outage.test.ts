import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { pauseQueue, resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { testDatabase } from '../../support/database/database.ts'
import { proxiedDatabase } from '../../support/database/proxied-database.ts'
import {
  enqueueWord,
  handleJob,
  heldJob,
  openTestDatabase,
  startJobHost,
  wordJob,
} from '../../support/jobs/job-host.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const job = wordJob('default')

test('jobs continue after a database outage', async () => {
  const { db, proxiedUrl, proxy } = await hostDatabase()
  const done: string[] = []
  await startJobHost({ url: proxiedUrl, handlers: [handleJob(job, async ({ word }) => void done.push(word))] })
  await enqueueWord(db, job, 'before')
  await eventually(
    async () => done,
    (words) => words.includes('before'),
  )

  proxy.cut()
  await enqueueWord(db, job, 'meanwhile')
  await aWhile(2500)
  proxy.mend()

  await eventually(
    async () => done,
    (words) => words.includes('meanwhile'),
  )
  await enqueueWord(db, job, 'after')
  await eventually(
    async () => done,
    (words) => words.includes('after'),
  )
})

test('the outcome of a job that ends during a database outage is recorded afterwards, and the job does not run again', async () => {
  const { db, pool, proxiedUrl, proxy } = await hostDatabase()
  const held = heldJob(job)
  await startJobHost({ url: proxiedUrl, handlers: [held.handler] })
  const words = ['one', 'two', 'three', 'four']
  for (const word of words) await enqueueWord(db, job, word)
  await eventually(
    async () => held.begun.length,
    (count) => count === words.length,
  )

  proxy.cut()
  held.release()
  await aWhile(800)
  proxy.mend()

  await eventually(
    async () => (await pool.query('select 1 from graphile_worker.jobs')).rowCount,
    (count) => count === 0,
  )
  expect(held.begun.toSorted()).toEqual(words.toSorted())
})

test('a job that fails during a database outage keeps its error and its next attempt', async () => {
  const { db, pool, proxiedUrl, proxy } = await hostDatabase()
  let isCut = false
  await startJobHost({
    url: proxiedUrl,
    handlers: [
      handleJob(job, async () => {
        proxy.cut()
        isCut = true
        throw new Error('handler failed')
      }),
    ],
  })
  await enqueueWord(db, job, 'homework')
  await eventually(
    async () => isCut,
    (answer) => answer,
  )
  await aWhile(800)
  proxy.mend()

  const failed = await eventually(
    async () => (await pool.query('select attempts, last_error, locked_by from graphile_worker.jobs')).rows[0],
    (row) => row.last_error !== null,
  )
  expect(failed).toEqual({ attempts: 1, last_error: 'handler failed', locked_by: null })
})

test('a job whose claim succeeded but whose answer was lost runs nevertheless', async () => {
  const { db, pool, proxiedUrl, proxy } = await hostDatabase()
  const done: string[] = []
  await pauseQueue(db, 'default', 'until the line is bad')
  await startJobHost({ url: proxiedUrl, handlers: [handleJob(job, async ({ word }) => void done.push(word))] })
  await enqueueWord(db, job, 'unheard')
  proxy.deafenAfter('get_job')
  await resumeQueue(db, 'default')
  await eventually(
    async () => (await pool.query('select locked_by from graphile_worker.jobs')).rows[0]?.locked_by,
    (worker) => worker !== null,
  )
  expect(done).toEqual([])

  proxy.mend()

  await eventually(
    async () => done,
    (words) => words.includes('unheard'),
  )
})

test('a host that drains during a database outage stops waiting, and runs its jobs again at the next start', async () => {
  const { db, pool, url, proxiedUrl, proxy } = await hostDatabase()
  const hostId = randomUUID()
  const held = heldJob(job)
  const host = await startJobHost({ url: proxiedUrl, handlers: [held.handler], hostId })
  await enqueueWord(db, job, 'left behind')
  await eventually(
    async () => held.begun.length,
    (count) => count === 1,
  )
  proxy.cut()
  held.release()

  await host.drain()

  expect((await pool.query('select locked_by from graphile_worker.jobs')).rows).toEqual([
    { locked_by: expect.any(String) },
  ])
  const done: string[] = []
  await startJobHost({ url, handlers: [handleJob(job, async ({ word }) => void done.push(word))], hostId })
  await eventually(
    async () => done,
    (words) => words.includes('left behind'),
  )
})

async function hostDatabase() {
  const { url, pool } = await testDatabase()
  const { url: proxiedUrl, proxy } = await proxiedDatabase(url)
  return { url, pool, proxiedUrl, proxy, db: openTestDatabase(url).db }
}

/** Long enough for the host to notice the outage. No assertion depends on the exact time. */
function aWhile(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
