import { type Generated, sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_views: { session_id: number; transition_id: number; seen_at: Generated<Date> }
  }
}

/** False if a person had seen this state or a later one before. Of two concurrent writers the later state wins. */
export async function recordView(tx: Transaction, sessionId: number, transitionId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into session_views as known (session_id, transition_id)
    values (${sessionId}, ${transitionId})
    on conflict (session_id) do update
    set transition_id = excluded.transition_id, seen_at = now()
    where known.transition_id < excluded.transition_id
  `.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}
