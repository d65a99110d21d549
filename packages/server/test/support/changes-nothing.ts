import type pg from 'pg'
import { expect } from 'vitest'

/** Runs `act` and holds every row of every table, jobs included, against what was there before. Hosts only say that they live. */
export async function changesNothing<T>(pool: pg.Pool, act: () => Promise<T>): Promise<T> {
  const before = await everyRow(pool)
  const result = await act()
  expect(await everyRow(pool)).toEqual(before)
  return result
}

async function everyRow(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where (schemaname = 'public' and tablename <> 'hosts')
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
