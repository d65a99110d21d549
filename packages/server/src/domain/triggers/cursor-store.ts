import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

/** How far a poller has read for a condition, by name. */
export async function readCursors(
  db: Database | Transaction,
  conditionId: number,
  names?: readonly string[],
): Promise<Map<string, object>> {
  const rows = await db
    .selectFrom('trigger_cursors')
    .select(['name', 'state'])
    .where('condition_id', '=', conditionId)
    .$if(names !== undefined, (query) => query.where('name', 'in', names ?? []))
    .execute()
  return new Map(rows.map(({ name, state }) => [name, state]))
}

export async function writeCursor(tx: Transaction, conditionId: number, name: string, state: object): Promise<void> {
  const written = JSON.stringify(state)
  await tx
    .insertInto('trigger_cursors')
    .values({ condition_id: conditionId, name, state: written })
    .onConflict((conflict) =>
      conflict.columns(['condition_id', 'name']).doUpdateSet({ state: written, updated_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function deleteCursors(tx: Transaction, conditionId: number, names?: readonly string[]): Promise<void> {
  if (names?.length === 0) return
  await tx
    .deleteFrom('trigger_cursors')
    .where('condition_id', '=', conditionId)
    .$if(names !== undefined, (query) => query.where('name', 'in', names ?? []))
    .execute()
}

/** A poller writes the cursors of what it follows with every poll: one that it left behind belongs to a channel we are no longer in. */
export const cursorDays = 45

export function deleteOldCursors(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'trigger_cursors', since: 'updated_at' }, slice)
}
