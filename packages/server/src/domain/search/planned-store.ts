import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * Runs a read-only query under planner settings. The query must not be a prepared statement, because a cached plan would
 * outlive the settings; a query with an inlined pattern never is one.
 */
export function planned<Row>(db: Database, settings: readonly string[], query: RawBuilder<Row>): Promise<Row[]> {
  return db.connection().execute(async (connection) => {
    // One statement saves a round trip. The settings are our constants, never user input.
    await sql.raw(['begin', ...settings.map((each) => `set local ${each}`)].join('; ')).execute(connection)
    try {
      return (await query.execute(connection)).rows
    } finally {
      await sql.raw('rollback').execute(connection)
    }
  })
}

/** Whether PostgreSQL ended the query because its time was up. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014'
}
