import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * A query for which the planner is told how to go about it; it changes nothing. It has a pattern in it, and is therefore
 * never prepared: a plan that was kept would outlive what the planner was told.
 */
export function planned<Row>(db: Database, settings: readonly string[], query: RawBuilder<Row>): Promise<Row[]> {
  return db.connection().execute(async (connection) => {
    // In one go, since every trip counts; there are no values of others in it.
    await sql.raw(['begin', ...settings.map((each) => `set local ${each}`)].join('; ')).execute(connection)
    try {
      return (await query.execute(connection)).rows
    } finally {
      await sql.raw('rollback').execute(connection)
    }
  })
}
