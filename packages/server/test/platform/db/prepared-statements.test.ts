import { sql } from 'kysely'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase, openPool } from '../../../src/platform/db/database.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testDatabase } from '../../support/database/database.ts'
import { silentLog } from '../../support/log/silent-log.ts'

/** A database with one table, a pool as the service uses it, and a second pool that changes the table. */
async function yard(max = 1): Promise<{ db: Database; pool: pg.Pool }> {
  const { url, pool } = await testDatabase({ isEmpty: true })
  const db = openDatabase(openPool({ connectionString: url }, { max, log: silentLog, name: 'test' }))
  onTestFinished(() => db.destroy())
  await pool.query('create table wagons (id int primary key, load text)')
  await pool.query(`insert into wagons values (1, 'coal'), (2, 'sand')`)
  return { db, pool }
}

const wagon = (db: Database, id: number) =>
  sql<Record<string, unknown>>`select * from wagons where id = ${id}`.execute(db).then(({ rows }) => rows)

const ownQuestion = 'select statement from pg_prepared_statements'

async function preparedOn(db: Database): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`${sql.raw(ownQuestion)}`.execute(db)
  return rows.map(({ statement }) => statement)
}

test('a repeated statement is prepared, and one used once is not', async () => {
  const { db } = await yard()
  await wagon(db, 1)
  await sql`select ${'once'}::text`.execute(db)
  expect(await preparedOn(db)).toEqual([])
  await transact(db, (tx) => sql`savepoint here; release here`.execute(tx))
  for (const id of [2, 1, 2]) expect(await wagon(db, id)).toMatchObject([{ id }])
  expect(await preparedOn(db)).toEqual(expect.arrayContaining(['select * from wagons where id = $1', ownQuestion]))
  expect(await preparedOn(db)).toHaveLength(2)
})

test('statements with a pattern, a list or many values are not prepared', async () => {
  const { db } = await yard()
  const crowd = sql.join(Array.from({ length: 60 }, (_, index) => index))
  for (let round = 0; round < 3; round += 1) {
    await sql`select id from wagons where load like ${'c%'}`.execute(db)
    await sql`select id from wagons where id = any (${[1, 2]}::int[])`.execute(db)
    await sql`select id from wagons where id in (${crowd})`.execute(db)
  }
  expect(await preparedOn(db)).toEqual([])
})

test('at most 500 statements are prepared, and others still work', async () => {
  const { db } = await yard()
  for (let round = 0; round < 2; round += 1) {
    for (let column = 0; column < 520; column += 1) {
      const { rows } = await sql`select ${column}::int as ${sql.ref(`column_${column}`)}`.execute(db)
      expect(rows).toEqual([{ [`column_${column}`]: column }])
    }
  }
  expect(await preparedOn(db)).toHaveLength(500)
})

test('a rejected statement does not affect the next use of its name', async () => {
  const { db } = await yard()
  const add = (id: number) => sql`insert into wagons values (${id}, 'ore')`.execute(db)
  await add(3)
  for (let round = 0; round < 3; round += 1) await expect(add(3)).rejects.toMatchObject({ code: '23505' })
  const ask = (table: string) => sql`select ${1}::int from ${sql.ref(table)}`.execute(db)
  for (let round = 0; round < 3; round += 1) await expect(ask('carts')).rejects.toMatchObject({ code: '42P01' })
  await sql`create table carts (id int)`.execute(db)
  expect((await ask('carts')).rows).toEqual([])
  await add(4)
  expect(await wagon(db, 4)).toEqual([{ id: 4, load: 'ore' }])
})

test('tables that a newer host changes meanwhile are read in their new form', async () => {
  const { db, pool } = await yard(3)
  const readAll = () => Promise.all([1, 2, 1, 2, 1, 2].map((id) => wagon(db, id)))
  for (let round = 0; round < 3; round += 1) await readAll()
  for (const column of ['weight', 'owner']) {
    await pool.query(`alter table wagons add column ${column} text default 'new'`)
    for (const [row] of await readAll()) expect(row).toMatchObject({ [column]: 'new' })
    for (let round = 0; round < 3; round += 1) await readAll()
  }
})

test('another error of a statement is thrown as it is, also after tables have changed', async () => {
  const { db, pool } = await yard()
  const add = (id: number) => sql`insert into wagons values (${id}, 'ore') returning *`.execute(db)
  for (const id of [3, 4, 5]) await add(id)
  await pool.query('alter table wagons add column weight int')
  await expect(add(5)).rejects.toMatchObject({ code: '23505' })
})

test('a transaction during which tables change is retried, and its work is done once', async () => {
  const { db, pool } = await yard()
  await pool.query('create table journal (entry text)')
  for (let round = 0; round < 3; round += 1) await wagon(db, 1)
  let attempts = 0
  const found = await transact(db, async (tx) => {
    attempts += 1
    await sql`insert into journal values (${'weighed'})`.execute(tx)
    if (attempts === 1) await pool.query('alter table wagons add column weight int')
    return wagon(tx, 1)
  })
  expect([attempts, found]).toEqual([2, [{ id: 1, load: 'coal', weight: null }]])
  expect((await pool.query('select entry from journal')).rows).toEqual([{ entry: 'weighed' }])
})
