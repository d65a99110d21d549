import { type Generated, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    categories: {
      id: Generated<number>
      name: string
      description: string | null
      position: number
      is_frozen: Generated<boolean>
      created_at: Generated<Date>
      updated_at: Generated<Date>
    }
  }
}

export type CategoryRow = {
  id: number
  name: string
  description: string | null
  position: number
  is_frozen: boolean
  session_count: number
  created_at: Date
  updated_at: Date
}

export type CategoryValues = { name: string; description: string | null; is_frozen: boolean }

/** Serializes changes of positions, which read before they write. */
export async function lockPositions(tx: Transaction): Promise<void> {
  await takeLock(tx, 'categoryPositions')
}

export function selectCategories(db: Database | Transaction): Promise<CategoryRow[]> {
  return categoriesWithCount(db).orderBy('position').orderBy('created_at').orderBy('id').execute()
}

export function selectCategory(db: Database | Transaction, id: number): Promise<CategoryRow | undefined> {
  return categoriesWithCount(db).where('categories.id', '=', id).executeTakeFirst()
}

/** Locks the category against deletion until the transaction ends. Returns false if it does not exist. */
export async function holdCategory(tx: Transaction, id: number): Promise<boolean> {
  const row = await tx.selectFrom('categories').select('id').where('id', '=', id).forKeyShare().executeTakeFirst()
  return row !== undefined
}

/** Appends after the last category; the first gets position 0. */
export async function insertCategory(tx: Transaction, values: CategoryValues): Promise<number> {
  const { id } = await tx
    .insertInto('categories')
    .values(({ selectFrom, fn, lit }) => ({
      ...values,
      position: selectFrom('categories').select(
        sql<number>`${fn.coalesce(fn.max('position'), lit(-1))} + 1`.as('next'),
      ),
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateCategory(tx: Transaction, id: number, values: Partial<CategoryValues>): Promise<boolean> {
  const result = await tx
    .updateTable('categories')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function deleteCategory(tx: Transaction, id: number): Promise<boolean> {
  const result = await tx.deleteFrom('categories').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Updates all positions in one statement. Unknown ids have no effect. */
export async function updatePositions(
  tx: Transaction,
  positions: readonly { id: number; position: number }[],
): Promise<void> {
  await sql`
    update categories
    set position = placed.position, updated_at = now()
    from unnest(${positions.map(({ id }) => id)}::bigint[], ${positions.map(({ position }) => position)}::int[]) as placed (id, position)
    where categories.id = placed.id
      and categories.position <> placed.position
  `.execute(tx)
}

function categoriesWithCount(db: Database | Transaction) {
  return db
    .selectFrom('categories')
    .select(['id', 'name', 'description', 'position', 'is_frozen', 'created_at', 'updated_at'])
    .select(({ selectFrom, fn }) =>
      selectFrom('sessions')
        .whereRef('sessions.category_id', '=', 'categories.id')
        .select(fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('session_count'),
    )
}
