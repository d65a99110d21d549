import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** The columns of a room's table that hold sealed texts, each of the type `sealed_text`. `id`: the column that identifies a row. */
export type SealedTable = { table: string; id: string; columns: readonly string[] }

type SealedRow = { id: string; values: Record<string, string | null> }

const sliceRows = 500

/** All rows of the table, in slices: a table may be large, and no statement may take long. */
export async function* sealedRows(db: Database, { table, id, columns }: SealedTable): AsyncGenerator<SealedRow[]> {
  const values = sql.join(columns.flatMap((column) => [sql.lit(column), sql.ref(column)]))
  for (let after: string | undefined; ; ) {
    const { rows } = await sql<SealedRow>`
      select ${sql.ref(id)}::text as id, jsonb_build_object(${values}) as values
      from ${sql.table(table)}
      ${after === undefined ? sql`` : sql`where ${sql.ref(id)}::text > ${after}`}
      order by ${sql.ref(id)}::text
      limit ${sql.lit(sliceRows)}
    `.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < sliceRows) return
    after = rows.at(-1)?.id
  }
}

/** Replaces a sealed text by another one of the same content, unless the row was changed meanwhile. */
export async function replaceSealed(
  db: Database,
  { table, id }: SealedTable,
  { row, column, from, to }: { row: string; column: string; from: string; to: string },
): Promise<void> {
  await sql`
    update ${sql.table(table)}
    set ${sql.ref(column)} = ${to}
    where ${sql.ref(id)}::text = ${row} and ${sql.ref(column)} = ${from}
  `.execute(db)
}
