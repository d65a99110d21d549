import { sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'

export type Card = { id: number; sort_order: number }

/** Any constant: it only has to be the same on every host. */
const sectionLockClass = 7_346

/** Whoever orders a section does so alone. Sections are taken in one order, so that two movers never wait for each other. */
export async function lockSections(tx: Transaction, sections: readonly (number | null)[]): Promise<void> {
  const keys = [...new Set(sections.map((section) => (section ?? 0) % 2_147_483_647))].toSorted((a, b) => a - b)
  for (const key of keys) await sql`select pg_advisory_xact_lock(${sectionLockClass}, ${key}::int)`.execute(tx)
}

export async function selectCards(tx: Transaction, section: number | null): Promise<Card[]> {
  return tx
    .selectFrom('sessions')
    .select(['id', 'sort_order'])
    .where('category_id', section === null ? 'is' : '=', section)
    .where('summary_of_session_id', 'is', null)
    .orderBy('sort_order')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** A card that only changes its place has not changed: `updated_at` is left alone. */
export async function updateCards(tx: Transaction, cards: readonly Card[]): Promise<void> {
  if (cards.length === 0) return
  await sql`
    update sessions
    set sort_order = card.sort_order
    from unnest(${cards.map(({ id }) => id)}::bigint[], ${cards.map(({ sort_order }) => sort_order)}::float8[])
      as card (id, sort_order)
    where sessions.id = card.id
  `.execute(tx)
}

export async function moveCardTo(tx: Transaction, id: number, section: number | null): Promise<void> {
  await tx.updateTable('sessions').set({ category_id: section }).where('id', '=', id).execute()
}
