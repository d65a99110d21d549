import type { Generated } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    muted_sessions: { session_id: number; created_at: Generated<Date> }
  }
}

export async function isMuted(db: Database | Transaction, sessionId: number): Promise<boolean> {
  const row = await db
    .selectFrom('muted_sessions')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertMuted(tx: Transaction, sessionId: number): Promise<void> {
  await tx
    .insertInto('muted_sessions')
    .values({ session_id: sessionId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteMuted(tx: Transaction, sessionId: number): Promise<void> {
  await tx.deleteFrom('muted_sessions').where('session_id', '=', sessionId).execute()
}
