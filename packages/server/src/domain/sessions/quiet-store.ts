import { sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import { noteChange } from './change-store.ts'
import { stampedMetadata } from './metadata-store.ts'

/**
 * Writes that keep `updated_at`.
 */

export type Card = { id: number; sort_order: number }

export async function recordCardOrder(tx: Transaction, cards: readonly Card[]): Promise<void> {
  if (cards.length === 0) return
  await sql`
    update sessions
    set sort_order = card.sort_order
    from unnest(${cards.map(({ id }) => id)}::bigint[], ${cards.map(({ sort_order }) => sort_order)}::float8[])
      as card (id, sort_order)
    where sessions.id = card.id
  `.execute(tx)
}

/** The card moves to another section of the board. */
export async function recordCardSection(tx: Transaction, id: number, section: number | null): Promise<void> {
  await tx.updateTable('sessions').set({ category_id: section }).where('id', '=', id).execute()
  noteChange(tx, id, ['category_id'])
}

export async function recordHeartbeatSent(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ metadata: stampedMetadata('heartbeat_last_beat_at') })
    .where('id', '=', id)
    .execute()
}
