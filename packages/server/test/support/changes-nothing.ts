import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'

/**
 * Runs `act` and holds every row of every table, jobs included, against what was there before. Hosts only say that they
 * live, and the search index follows the other tables in the background.
 */
export async function changesNothing<T>(pool: pg.Pool, act: () => Promise<T>): Promise<T> {
  const before = await onceQuiet(pool)
  const result = await act()
  expect(await everyRow(pool)).toEqual(before)
  return result
}

/** What an earlier test set going in the background may still be coming to its end. */
async function onceQuiet(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  let seen = await everyRow(pool)
  await eventually(
    async () => {
      const before = seen
      await wait(40)
      seen = await everyRow(pool)
      return isDeepStrictEqual(before, seen)
    },
    (isQuiet) => isQuiet,
  )
  return seen
}

async function everyRow(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where (schemaname = 'public' and tablename <> 'hosts' and tablename not like 'search\\_%')
      or (schemaname, tablename) = ('graphile_worker', '_private_jobs')
    order by name
  `)
  const contents: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    // Events are placed a moment after they were written, whatever else happens.
    const { rows } = await pool.query(`select to_jsonb(t) - 'position' as row from ${name} t order by 1`)
    contents[name] = rows
  }
  return contents
}
