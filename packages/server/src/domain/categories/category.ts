import type { Category, CategoryChanges, CategoryOrder, NewCategory } from '@yardmaster/contract/categories/fields'
import { uncategorized } from '@yardmaster/contract/categories/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { placeUncategorized } from '../settings/settings.ts'
import {
  type CategoryRow,
  deleteCategory,
  insertCategory,
  lockPositions,
  selectCategories,
  selectCategory,
  updateCategory,
  updatePositions,
} from './category-store.ts'
import { categoriesChanged } from './events.ts'

/** The room's public interface. A category is a named section of the board. */
export { holdCategory } from './category-store.ts'

export async function listCategories(app: App): Promise<Category[]> {
  return (await selectCategories(app.db)).map(presentCategory)
}

export async function showCategory(app: App, id: number): Promise<Category> {
  const row = await selectCategory(app.db, id)
  return row ? presentCategory(row) : refuseMissing()
}

/** New categories go to the end of the board. */
export async function createCategory(app: App, { name, description, is_frozen }: NewCategory): Promise<Category> {
  return changing(app, async (tx) => {
    await lockPositions(tx)
    return insertCategory(tx, { name, description: description ?? null, is_frozen: is_frozen ?? false })
  })
}

/** Partial update: absent keys keep their values. */
export async function changeCategory(app: App, id: number, changes: CategoryChanges): Promise<Category> {
  if (Object.keys(changes).length === 0) return showCategory(app, id)
  return changing(app, async (tx) => ((await updateCategory(tx, id, changes)) ? id : refuseMissing()))
}

/** The category's sessions become Uncategorized. */
export async function removeCategory(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    if (!(await deleteCategory(tx, id))) refuseMissing()
    await app.events.publish(tx, categoriesChanged, { payload: {} })
  })
}

/** Sets each listed category's position to its index; the last index counts for a duplicate. Others keep their positions. */
export async function reorderCategories(app: App, { ids }: CategoryOrder): Promise<Category[]> {
  if (ids.length === 0) return listCategories(app)
  const places = new Map(ids.map((id, position) => [id, position]))
  const positions = [...places].flatMap(([id, position]) => (id === uncategorized ? [] : [{ id, position }]))
  const uncategorizedPosition = places.get(uncategorized)
  return transact(app.db, async (tx) => {
    await lockPositions(tx)
    await updatePositions(tx, positions)
    if (uncategorizedPosition !== undefined) await placeUncategorized(tx, uncategorizedPosition)
    await app.events.publish(tx, categoriesChanged, { payload: {} })
    return (await selectCategories(tx)).map(presentCategory)
  })
}

/** Writes one category and reads it back. A unique constraint decides whether the name is taken. */
async function changing(app: App, write: (tx: Transaction) => Promise<number>): Promise<Category> {
  try {
    return await transact(app.db, async (tx) => {
      const row = await selectCategory(tx, await write(tx))
      if (!row) throw new Error('category missing right after the write')
      await app.events.publish(tx, categoriesChanged, { payload: {} })
      return presentCategory(row)
    })
  } catch (error) {
    if (violatedConstraint(error) === 'categories_name_key') refuse('validation_failed', 'Name has already been taken')
    throw error
  }
}

function presentCategory(row: CategoryRow): Category {
  return { ...row, created_at: formatTimestamp(row.created_at), updated_at: formatTimestamp(row.updated_at) }
}
