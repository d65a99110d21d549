import type pg from 'pg'

/**
 * Empties tables and all that refer to them, and lets their ids begin at 1 again. What `truncate ... restart identity
 * cascade` does, but for the new files it gives every table and index, which take thirty times as long as a few rows.
 */
export async function emptyTables(pool: pg.Pool, ...tables: readonly string[]): Promise<void> {
  const key = tables.join()
  const script = scripts.get(key) ?? (await writeScript(pool, tables))
  scripts.set(key, script)
  await pool.query(script)
}

/** All tests have the same tables. */
const scripts = new Map<string, string>()

/** Whoever is still writing is waited for. */
async function writeScript(pool: pg.Pool, tables: readonly string[]): Promise<string> {
  const { rows } = await pool.query<{ statement: string }>(
    `with recursive emptied (id) as (
       select unnest($1::text[])::regclass::oid
       union
       select conrelid from pg_constraint join emptied on emptied.id = confrelid where contype = 'f'
     )
     select format('lock table %s', string_agg(id::regclass::text, ', ')) as statement from emptied
     union all
     select format('delete from %s', id::regclass) from emptied
     union all
     select format('select setval(%L, 1, false)', sequence.objid::regclass)
     from emptied
     join pg_depend as sequence on sequence.refobjid = emptied.id and sequence.deptype in ('a', 'i')
     join pg_class on pg_class.oid = sequence.objid and pg_class.relkind = 'S'`,
    [tables],
  )
  return rows.map(({ statement }) => statement).join(';\n')
}
