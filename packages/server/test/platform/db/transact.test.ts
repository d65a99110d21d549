import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Transaction } from '../../../src/platform/db/database.ts'
import { afterCommit, databaseOf, gather, transact } from '../../../src/platform/db/transact.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'

test('afterCommit callbacks run after the commit, in order, when the rows are visible to others', async () => {
  const { db, pool } = await ledger()
  const seen: string[] = []

  const answer = await transact(db, async (tx) => {
    await sql`insert into entries values (1)`.execute(tx)
    afterCommit(tx, () => seen.push('first'))
    afterCommit(tx, () => seen.push('second'))
    expect(seen).toEqual([])
    return 'done'
  })

  expect(answer).toBe('done')
  expect(seen).toEqual(['first', 'second'])
  expect((await pool.query('select id from entries')).rows).toEqual([{ id: 1 }])
})

test('afterCommit callbacks of a rolled back transaction never run', async () => {
  const { db, pool } = await ledger()
  const seen: string[] = []

  const attempt = transact(db, async (tx) => {
    await sql`insert into entries values (1)`.execute(tx)
    afterCommit(tx, () => seen.push('never'))
    throw new Error('no')
  })

  await expect(attempt).rejects.toThrow('no')
  expect(seen).toEqual([])
  expect((await pool.query('select id from entries')).rows).toEqual([])
})

test('what is gathered under a key is written once, last in the transaction, also after a conflict', async () => {
  const { db, pool } = await ledger()
  let attempts = 0
  const closed: string[] = []
  await transact(db, async (tx) => {
    attempts += 1
    const add = (id: number) =>
      gather(
        tx,
        'entries',
        () => new Set<number>(),
        async (ids) => {
          closed.push([...ids].join())
          for (const each of ids) await sql`insert into entries values (${each})`.execute(tx)
        },
      ).add(id)
    add(1)
    add(2)
    if (attempts === 1) await sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`.execute(tx)
    add(1)
    expect(databaseOf(tx)).toBe(db)
    expect(closed).toEqual([])
  })
  expect(closed).toEqual(['1,2'])
  expect((await pool.query('select id from entries order by id')).rows).toEqual([{ id: 1 }, { id: 2 }])
})

test('a transaction whose gathered work fails is rolled back', async () => {
  const { db, pool } = await ledger()
  const attempt = transact(db, async (tx) => {
    await sql`insert into entries values (1)`.execute(tx)
    gather(
      tx,
      'any',
      () => 0,
      () => Promise.reject(new Error('no')),
    )
  })
  await expect(attempt).rejects.toThrow('no')
  expect((await pool.query('select id from entries')).rows).toEqual([])
})

test('a transaction succeeds after several conflicts in a row', async () => {
  const { db, pool } = await ledger()
  let attempts = 0
  await transact(db, async (tx) => {
    attempts += 1
    await sql`insert into entries values (1)`.execute(tx)
    if (attempts <= 6) await sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`.execute(tx)
  })
  expect(attempts).toBe(7)
  expect((await pool.query('select id from entries')).rows).toEqual([{ id: 1 }])
})

test('two deadlocked transactions both succeed, and their afterCommit callbacks run once each', async () => {
  const { db, pool } = await ledger()
  await pool.query('insert into entries values (1), (2)')
  const bothHoldOne = barrier(2)
  let attempts = 0
  const committed: string[] = []
  const lockBoth = (name: string, order: readonly number[]) =>
    transact(db, async (tx) => {
      attempts += 1
      afterCommit(tx, () => committed.push(name))
      await lock(tx, order[0])
      await bothHoldOne()
      await lock(tx, order[1])
    })

  await Promise.all([lockBoth('up', [1, 2]), lockBoth('down', [2, 1])])

  expect(committed.toSorted()).toEqual(['down', 'up'])
  // One transaction was retried; PostgreSQL may abort both.
  expect([3, 4]).toContain(attempts)
})

test('a transaction that keeps conflicting fails with the conflict', async () => {
  const { db } = await ledger()
  let attempts = 0

  const attempt = transact(db, async (tx) => {
    attempts += 1
    await sql`do $$ begin raise exception 'no luck' using errcode = '40001'; end $$`.execute(tx)
  })

  await expect(attempt).rejects.toThrow('no luck')
  expect(attempts).toBe(8)
})

test('afterCommit throws for a transaction not opened by transact', async () => {
  const { db } = await ledger()

  await expect(db.transaction().execute(async (tx) => afterCommit(tx, () => undefined))).rejects.toThrow(
    'needs a transaction opened by transact',
  )
})

async function ledger() {
  const { url, pool } = await testDatabase({ isEmpty: true })
  await pool.query('create table entries (id int primary key)')
  return { pool, db: openTestDatabase(url).db }
}

async function lock(tx: Transaction, id: number | undefined): Promise<void> {
  await sql`select id from entries where id = ${id} for update`.execute(tx)
}

/** The first `count` callers continue once all have arrived; later callers pass. */
function barrier(count: number): () => Promise<void> {
  let arrived = 0
  let release = (): void => undefined
  const all = new Promise<void>((resolve) => {
    release = resolve
  })
  return async () => {
    arrived += 1
    if (arrived === count) release()
    await all
  }
}
