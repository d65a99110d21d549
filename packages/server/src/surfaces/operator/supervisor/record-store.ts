import { sql } from 'kysely'
import type { Database } from '../../../platform/db/database.ts'
import { type Resource, references } from './resources.ts'

export type StoredRecord = Readonly<Record<string, unknown>>

export type Selection = {
  /** Only the records that come after this one in the order of the list. */
  after: string | undefined
  filters: Readonly<Record<string, string>>
  limit: number
}

/** A cell of a list shows the beginning of a text; the page has all of it. */
const cellLength = 200

/**
 * One page of a list, by its key and never by an offset, so that the last page of a large table costs what the first does.
 */
export async function selectRecords(db: Database, resource: Resource, selection: Selection): Promise<StoredRecord[]> {
  const { table, key, listed, isAscending = false } = resource
  const { after, filters, limit } = selection
  const conditions = [
    ...Object.entries(filters).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...(after === undefined ? [] : [isAscending ? sql`${sql.ref(key)} > ${after}` : sql`${sql.ref(key)} < ${after}`]),
  ]
  const { rows } = await sql<StoredRecord>`
    select ${sql.join(listed.map((column) => (column === key ? sql.ref(column) : beginningOf(column))))}
    from ${sql.table(table)}
    where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by ${sql.ref(key)} ${isAscending ? sql`asc` : sql`desc`}
    limit ${limit}
  `.execute(db)
  return rows
}

/** Only texts are cut: the page says how long ago a moment was, and links what another record's key is. */
function beginningOf(column: string) {
  const value = sql.ref(column)
  const isWhole = /_at$|_until$/.test(column) || Object.hasOwn(references, column)
  return isWhole ? value : sql`left(${value}::text, ${cellLength}) as ${value}`
}

export async function selectRecord(db: Database, resource: Resource, key: string): Promise<StoredRecord | undefined> {
  const columns = [...resource.listed, ...resource.shown].map((column) => sql.ref(column))
  const { rows } = await sql<StoredRecord>`
    select ${sql.join(columns)}
    from ${sql.table(resource.table)}
    where ${sql.ref(resource.key)} = ${key}
  `.execute(db)
  return rows[0]
}
