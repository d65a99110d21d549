import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Slice } from '../jobs/pruning.ts'
import type { Database } from './database.ts'
import { daysAgo } from './days-ago.ts'
import type { Tables } from './tables.ts'

type Old<Name extends keyof Tables> = {
  table: Name
  /** The time that makes a row old. It has an index. */
  since: keyof Tables[Name] & string
  /** Further conditions on the row, which is called `old`. */
  where?: RawBuilder<SqlBool>
}

/** Deletes a slice of the rows that are too old, the oldest first, and returns how many. For the owner of the table only. */
export async function deleteOld<Name extends keyof Tables & string>(
  db: Database,
  { table, since, where }: Old<Name>,
  { days, limit }: Slice,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)}
    where ctid in (
      select ctid
      from ${sql.table(table)} as old
      where ${sql.ref(`old.${since}`)} < ${daysAgo(days)}
        ${where === undefined ? sql`` : sql`and ${where}`}
      order by ${sql.ref(`old.${since}`)}
      limit ${limit}
      -- A row that someone changes at the moment may not be too old afterwards.
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows)
}
