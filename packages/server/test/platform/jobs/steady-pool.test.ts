import { promisify } from 'node:util'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { steadyPool } from '../../../src/platform/jobs/steady-pool.ts'
import { retryLevel } from '../../../src/platform/log/retry-level.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { silentLog } from '../../support/log/silent-log.ts'

/** graphile-worker releases its listening connection even when it got none, and may release it twice. */
async function connectAndReturnTwice(pool: pg.Pool): Promise<unknown> {
  const giveUp = new AbortController().signal
  const steady = steadyPool(pool, { log: silentLog, claimLevel: retryLevel(), giveUp, onClaimLost: () => undefined })
  let failure: unknown
  await promisify((done: () => void) =>
    steady.pool.connect((error, _client, release) => {
      failure = error
      release()
      release()
      done()
    }),
  )()
  return failure
}

test('a listening connection that is released twice returns to the pool once', async () => {
  const { url } = await testDatabase()
  const { pool } = openTestDatabase(url, 1)
  const returned: unknown[] = []
  pool.on('release', (reason) => returned.push(reason))
  expect(await connectAndReturnTwice(pool)).toBeUndefined()
  expect(returned).toHaveLength(1)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('releasing a connection that a closed pool did not provide is harmless', async () => {
  const { url } = await testDatabase()
  const { pool } = openTestDatabase(url, 1)
  await pool.end()
  expect(await connectAndReturnTwice(pool)).toMatchObject({ message: expect.stringContaining('after calling end') })
})

test('a claim that the database rejects is logged at error, and fewer of its repetitions are', async () => {
  const { url } = await testDatabase()
  const { pool } = openTestDatabase(url, 1)
  const { log, records } = recordedLog()
  let lost = 0
  const onClaimLost = () => {
    lost += 1
  }
  const giveUp = new AbortController().signal
  const claimLevel = retryLevel()
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    const client = await steadyPool(pool, { log, claimLevel, giveUp, onClaimLost }).pool.connect()
    await client.query({ name: 'get_job/test', text: 'select * from no_such_table' })
    await client.release()
  }
  expect(lost).toBe(4)
  expect(records().map(({ level }) => level)).toEqual([50, 50, 20, 50])
})
