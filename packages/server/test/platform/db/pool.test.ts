import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openPool } from '../../../src/platform/db/database.ts'
import { isOutage } from '../../../src/platform/db/outage.ts'
import { testDatabase } from '../../support/database/database.ts'
import { silentLog } from '../../support/log/silent-log.ts'

test('a caller that waits long for a pooled connection gets it, because a busy pool is no outage', async () => {
  const { url } = await testDatabase({ isEmpty: true })
  const pool = openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'test' })
  const holder = await pool.connect()
  const waiting = pool.query('select 1 as one')
  // Longer than the connect timeout.
  await wait(8500)
  holder.release()
  expect((await waiting).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('a host that is frozen in a transaction loses its locks and continues when it resumes', async () => {
  const { url } = await testDatabase({ isEmpty: true })
  const frozen = openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'frozen' })
  const other = openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'other' })
  await frozen.query('create table wagons (id int primary key)')
  await frozen.query('insert into wagons values (1)')
  const client = await frozen.connect()
  await client.query('begin')
  await client.query('select from wagons where id = 1 for update')

  const locked = await other.query('select id from wagons where id = 1 for update')
  const late = await client.query('delete from wagons').catch((error: unknown) => error)
  client.release(true)

  expect(locked.rows).toEqual([{ id: 1 }])
  expect(isOutage(late)).toBe(true)
  expect((await frozen.query('select id from wagons')).rows).toEqual([{ id: 1 }])
  await Promise.all([frozen.end(), other.end()])
})
