import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { steadyPool } from '../../../src/platform/jobs/steady-pool.ts'
import { testDatabase } from '../../support/database.ts'
import { openTestDatabase } from '../../support/job-host.ts'
import { silentLog } from '../../support/silent-log.ts'

test('a listening connection that is returned twice goes back once, and ends nothing', async () => {
  const { url } = await testDatabase()
  const { pool } = openTestDatabase(url, 1)
  const impatience = new AbortController().signal
  const steady = steadyPool(pool, { log: silentLog, impatience, onClaimLost: () => undefined })
  const returned: unknown[] = []
  pool.on('release', (reason) => returned.push(reason))

  await promisify((done: () => void) =>
    steady.pool.connect((_error, _client, release) => {
      release()
      release()
      done()
    }),
  )()

  expect(returned).toHaveLength(1)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
