import { takeLockIn } from '../../platform/db/advisory-locks.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Card } from '../sessions/session.ts'

/** Serialises reorders of a section. The locks are taken in ascending order, so concurrent moves cannot deadlock. */
export async function lockSections(tx: Transaction, sections: readonly (number | null)[]): Promise<void> {
  const keys = [...new Set(sections.map((section) => (section ?? 0) % 2_147_483_647))].toSorted((a, b) => a - b)
  for (const key of keys) await takeLockIn(tx, 'boardSections', key)
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
