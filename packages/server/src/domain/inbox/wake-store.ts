import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A view of the one-time conditions of triggers, so that rooms before that one can ask what is armed. */
    armed_wakes: { id: number; session_id: number; at: Date | null; created_at: Date }
  }
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
