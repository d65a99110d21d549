import type { CategoryRef } from '@yardmaster/contract/board/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import { holdCategory } from '../categories/category.ts'

/** The id of the section a caller names, null for Uncategorized. Locks the category against deletion until commit. */
export async function findSection(tx: Transaction, category: CategoryRef): Promise<number | null> {
  if (category === null) return null
  if (await holdCategory(tx, category.id)) return category.id
  return refuse('not_found', `Category #${category.written} not found`)
}
