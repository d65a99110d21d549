import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase, openPool } from '../../../src/platform/db/database.ts'
import { isConflict, isOutage } from '../../../src/platform/db/outage.ts'
import { untilReachable } from '../../../src/platform/db/until-reachable.ts'
import { violatedConstraint } from '../../../src/platform/db/violated-constraint.ts'
import { testDatabase } from '../../support/database/database.ts'
import { proxiedDatabase } from '../../support/database/proxied-database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { silentLog } from '../../support/log/silent-log.ts'

describe('an outage', () => {
  test('a cut connection is an outage, for running and for new queries', async () => {
    const { db, proxy } = await databaseOverALine()
    await sql`select 1`.execute(db)

    const underway = failureOf(sql`select pg_sleep(20)`.execute(db))
    await sql`select 1`.execute(db)
    proxy.cut()

    expect(isOutage(await underway)).toBe(true)
    expect(isOutage(await failureOf(sql`select 1`.execute(db)))).toBe(true)
  })

  test('a server that accepts the connection and never answers is an outage', async () => {
    const { db, proxy } = await databaseOverALine()
    proxy.freeze()

    expect(isOutage(await failureOf(sql`select 1`.execute(db)))).toBe(true)
  })

  test('a port without a listener is an outage', async () => {
    const pool = openPool(
      { connectionString: 'postgres://user:secret@127.0.0.1:1/none' },
      { max: 1, log: silentLog, name: 'test' },
    )

    const error = await failureOf(pool.query('select 1'))

    expect(isOutage(error)).toBe(true)
    expect(String(error)).not.toContain('secret')
    await pool.end()
  })

  test('a backend terminated by an administrator is an outage, and the next query succeeds', async () => {
    const { db } = await database()

    const error = await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db))

    expect(isOutage(error)).toBe(true)
    await untilReachable(() => sql`select 1`.execute(db))
  })

  test('a password that is changed before our settings are is an outage, and work goes on once they agree again', async () => {
    const { administer, connectionString } = await roleWithPassword('first')
    const pool = openPool({ connectionString }, { max: 1, log: silentLog, name: 'test' })
    onTestFinished(() => pool.end())
    await administer("password 'second'")

    const error = await failureOf(pool.query('select 1'))

    expect(error).toMatchObject({ code: '28P01' })
    expect(isOutage(error)).toBe(true)
    const underway = untilReachable(() => pool.query('select 1 as one'))
    await administer("password 'first'")
    expect((await underway).rows).toEqual([{ one: 1 }])
  })

  test.each([
    ['a full disk', '53100'],
    ['a lack of memory', '53200'],
    ['a lack of connections', '53300'],
    ['an I/O error', '58030'],
  ])('%s of the database is an outage', async (_, state) => {
    const { db } = await database()
    const error = await failureOf(
      sql.raw(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`).execute(db),
    )
    expect(isOutage(error)).toBe(true)
  })

  test('a connection whose query timed out is not used again', async () => {
    const { url } = await testDatabase({ isEmpty: true })
    const pool = openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'test', queryTimeoutMs: 3000 })
    const db = openDatabase(pool)
    expect(isOutage(await failureOf(sql`select pg_sleep(30)`.execute(db)))).toBe(true)
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
    await db.destroy()
  })

  test('terminated idle connections fail no query', async () => {
    const { db, pool } = await database()
    await sql`select 1`.execute(db)

    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )

    await untilReachable(() => sql`select 1`.execute(db))
  })

  test('an invalid statement is not an outage', async () => {
    const { db } = await database()

    expect(isOutage(await failureOf(sql`select no_such_column`.execute(db)))).toBe(false)
    expect(isOutage(new Error('something else'))).toBe(false)
    expect(isOutage('Connection terminated')).toBe(false)
    expect(isOutage(undefined)).toBe(false)
  })

  test('a missing file is not an outage, although its code is that of a missing socket', () => {
    expect(isOutage(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }))).toBe(false)
    expect(isOutage(Object.assign(new Error('no socket'), { code: 'ENOENT', syscall: 'connect' }))).toBe(true)
  })

  test('untilReachable retries the work until the database is reachable', async () => {
    const { db, proxy } = await databaseOverALine()
    proxy.cut()
    let tries = 0

    const answer = untilReachable(async () => {
      tries += 1
      if (tries === 2) proxy.mend()
      return (await sql<{ one: number }>`select 1 as one`.execute(db)).rows
    })

    expect(await answer).toEqual([{ one: 1 }])
    expect(tries).toBeGreaterThan(1)
  })

  test('untilReachable retries work that keeps conflicting with other transactions', async () => {
    let tries = 0
    const answer = untilReachable(async () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      return 'done'
    })
    expect(await answer).toBe('done')
  })

  test('untilReachable does not retry an invalid statement', async () => {
    const { db } = await database()
    let tries = 0

    const attempt = untilReachable(() => {
      tries += 1
      return sql`select no_such_column`.execute(db)
    })

    await expect(attempt).rejects.toThrow('no_such_column')
    expect(tries).toBe(1)
  })
})

describe('other classified failures', () => {
  test('a violated unique constraint is returned by name', async () => {
    const { db, pool } = await database()
    await pool.query('create table seats (number int constraint one_each unique)')
    await sql`insert into seats values (1)`.execute(db)

    const error = await failureOf(sql`insert into seats values (1)`.execute(db))

    expect(violatedConstraint(error)).toBe('one_each')
    expect(violatedConstraint(await failureOf(sql`select 1/0`.execute(db)))).toBeUndefined()
    expect(violatedConstraint('one_each')).toBeUndefined()
  })

  test('a deadlock and a serialisation failure are conflicts, and a unique violation is not', () => {
    expect(['40P01', '40001', '23505'].map((code) => isConflict(Object.assign(new Error(), { code })))).toEqual([
      true,
      true,
      false,
    ])
  })
})

test('64-bit integers are parsed as numbers, and other types as usual', async () => {
  const { db } = await database()

  const { rows } = await sql`
    select 9007199254740991::bigint as big, count(*) as count, 1.5::numeric as exact, '{"a": 1}'::jsonb as json
  `.execute(db)

  expect(rows).toEqual([{ big: 9007199254740991, count: 1, exact: '1.5', json: { a: 1 } }])
})

async function database() {
  const { url, pool } = await testDatabase({ isEmpty: true })
  return { url, pool, db: openTestDatabase(url).db }
}

async function roleWithPassword(password: string) {
  const role = `role_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: inject('administrationUrl') })
  await admin.connect()
  await admin.query(`create role ${role} login password '${password}'`)
  onTestFinished(async () => {
    await admin.query(`drop role ${role}`)
    await admin.end()
  })
  const url = new URL(inject('administrationUrl'))
  Object.assign(url, { username: role, password })
  return { connectionString: url.href, administer: (change: string) => admin.query(`alter role ${role} ${change}`) }
}

async function databaseOverALine() {
  const { url } = await testDatabase({ isEmpty: true })
  const { url: proxiedUrl, proxy } = await proxiedDatabase(url)
  return { proxy, db: openTestDatabase(proxiedUrl, 2).db }
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}
