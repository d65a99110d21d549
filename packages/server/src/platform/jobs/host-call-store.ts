import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'

/** The outcome of a call, as it is stored between two hosts. */
export type StoredOutcome =
  | { kind: 'answered'; answer: unknown }
  | { kind: 'refused'; refusal: string; messages: readonly string[]; beside: Record<string, unknown> }
  | { kind: 'failed' }

declare module '../db/tables.ts' {
  interface Tables {
    host_calls: { id: Generated<string>; outcome: StoredOutcome | null; created_at: Generated<Date> }
  }
}

/** A caller waits for minutes at most; a row this old was left behind by a host that died. */
const keptHours = 24

export async function insertCall(tx: Transaction): Promise<string> {
  await tx
    .deleteFrom('host_calls')
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${keptHours})`)
    .execute()
  const { id } = await tx.insertInto('host_calls').defaultValues().returning('id').executeTakeFirstOrThrow()
  return id
}

export function selectCall(db: Database, id: string): Promise<{ outcome: StoredOutcome | null } | undefined> {
  return db.selectFrom('host_calls').select('outcome').where('id', '=', id).executeTakeFirst()
}

/** False when the caller gave up, or when the outcome is stored already. */
export async function storeOutcome(db: Database | Transaction, id: string, outcome: StoredOutcome): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('host_calls')
    .set({ outcome: sql<StoredOutcome>`${JSON.stringify(outcome)}::jsonb` })
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Answers with the outcome if there is one. Without a row the other host does nothing more for this call. */
export async function takeCall(db: Database, id: string): Promise<StoredOutcome | null> {
  const row = await db.deleteFrom('host_calls').where('id', '=', id).returning('outcome').executeTakeFirst()
  return row?.outcome ?? null
}
