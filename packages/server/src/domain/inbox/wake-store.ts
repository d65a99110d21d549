import type { Generated } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    armed_wakes: { id: Generated<number>; session_id: number; at: Date | null; created_at: Generated<Date> }
  }
}

export async function armWake(tx: Transaction, wake: { sessionId: number; at: Date | null }): Promise<number> {
  const { id } = await tx
    .insertInto('armed_wakes')
    .values({ session_id: wake.sessionId, at: wake.at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The earliest wake. Wakes without a time sort last. */
export function findNextWake(db: Database | Transaction, sessionId: number): Promise<{ at: Date | null } | undefined> {
  return db
    .selectFrom('armed_wakes')
    .select('at')
    .where('session_id', '=', sessionId)
    .orderBy('at', (order) => order.asc().nullsLast())
    .limit(1)
    .executeTakeFirst()
}
