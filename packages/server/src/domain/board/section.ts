import { uncategorized } from '@yardmaster/contract/categories/fields'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import { holdCategory } from '../categories/category.ts'

/** The section a caller names: a category that cannot be deleted until the transaction ends, or null for Uncategorized. */
export async function findSection(tx: Transaction, said: unknown): Promise<number | null> {
  if (said === undefined || said === null || said === uncategorized || isBlank(said)) return null
  const id = wholeNumber(said)
  if (id !== undefined && (await holdCategory(tx, id))) return id
  return refuse('not_found', `Category #${typeof said === 'object' ? JSON.stringify(said) : String(said)} not found`)
}

function isBlank(said: unknown): boolean {
  return typeof said === 'string' && said.trim() === ''
}
