import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'

declare module '../db/tables.ts' {
  interface Tables {
    webhook_deliveries: { source: 'chat' | 'forge'; delivery_id: string; received_at: Generated<Date> }
  }
}

/** False when this delivery was accepted before. A concurrent one waits for the first to commit or roll back. */
export async function claimDelivery(tx: Transaction, source: 'chat' | 'forge', deliveryId: string): Promise<boolean> {
  const claimed = await tx
    .insertInto('webhook_deliveries')
    .values({ source, delivery_id: deliveryId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('delivery_id')
    .executeTakeFirst()
  return claimed !== undefined
}

const keptDays = 30

export async function deleteOldDeliveries(db: Database): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('received_at', '<', sql<Date>`now() - ${keptDays} * interval '1 day'`)
    .execute()
}
