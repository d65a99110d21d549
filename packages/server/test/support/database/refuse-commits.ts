import type pg from 'pg'

/** Runs `act` while no transaction that writes to the table commits: each fails at its end, after all of its statements. */
export async function refusingCommits<T>(pool: pg.Pool, table: string, act: () => Promise<T>): Promise<T> {
  await pool.query(`
    create or replace function refuse_commit() returns trigger language plpgsql
    as $$ begin raise exception 'refused by the test'; end $$
  `)
  await pool.query(`
    create constraint trigger refuse_commit after insert or update or delete on ${table}
    deferrable initially deferred for each row execute function refuse_commit()
  `)
  try {
    return await act()
  } finally {
    await pool.query(`drop trigger refuse_commit on ${table}`)
  }
}
