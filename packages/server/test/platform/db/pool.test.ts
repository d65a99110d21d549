import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPool } from '../../../src/platform/db/database.ts'
import { testDatabase } from '../../support/database.ts'
import { silentLog } from '../../support/silent-log.ts'

test('whoever waits long for one of our own connections gets it: a busy pool is no outage', async () => {
  const { url } = await testDatabase({ isEmpty: true })
  const pool = openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'test' })
  const holder = await pool.connect()
  const waiting = pool.query('select 1 as one')
  // Longer than connecting may take.
  await wait(3000)
  holder.release()
  expect((await waiting).rows).toEqual([{ one: 1 }])
  await pool.end()
})
