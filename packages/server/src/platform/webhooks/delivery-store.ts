import type { Generated } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Slice } from '../jobs/pruning.ts'

declare module '../db/tables.ts' {
  interface Tables {
    webhook_deliveries: { source: 'chat' | 'forge'; delivery_id: string; received_at: Generated<Date> }
  }
}

/** Those of the deliveries that were not accepted before. A concurrent transaction with one of them waits for this one. */
export async function claimDeliveries(
  tx: Transaction,
  source: 'chat' | 'forge',
  deliveryIds: readonly string[],
): Promise<Set<string>> {
  // In order: two hosts that claim the same deliveries do not wait for each other.
  const rows = [...new Set(deliveryIds)].toSorted().map((delivery_id) => ({ source, delivery_id }))
  const claimed = await tx
    .insertInto('webhook_deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('delivery_id')
    .execute()
  return new Set(claimed.map(({ delivery_id: id }) => id))
}

export function deleteOldDeliveries(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'webhook_deliveries', since: 'received_at' }, slice)
}
