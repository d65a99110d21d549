import { limits } from '@yardmaster/contract/limits'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'

type PushSubscriptionTable = {
  id: Generated<number>
  endpoint: string
  p256dh_key: string
  auth_key: string
  user_agent: string | null
  /** The key of ours that the browser subscribed with. */
  server_key: string
  /** How often in a row its push service has refused a push, and since when. */
  refusals: Generated<number>
  refused_since: Generated<Date | null>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    push_subscriptions: PushSubscriptionTable
  }
}

export type SubscriptionRow = Selectable<PushSubscriptionTable>

const noRefusals = { refusals: 0, refused_since: null }

/** A browser that subscribes again under the same address replaces its keys. */
export async function upsertSubscription(
  tx: Transaction,
  values: Insertable<PushSubscriptionTable>,
): Promise<SubscriptionRow & { is_new: boolean }> {
  const { endpoint: _, ...changes } = values
  return tx
    .insertInto('push_subscriptions')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('endpoint').doUpdateSet({ ...changes, ...noRefusals, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow()
}

/** Removes the browsers beyond the limit that subscribed longest ago, never the one that has just subscribed. */
export async function deleteOldestSubscriptions(tx: Transaction, newestId: number): Promise<void> {
  await tx
    .deleteFrom('push_subscriptions')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('push_subscriptions')
        .select('id')
        .orderBy(sql`id = ${newestId}`, 'desc')
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .offset(limits.pushSubscriptions),
    )
    .execute()
}

/** The latest first. */
export function selectSubscriptions(db: Database, page: Page): Promise<Paged<SubscriptionRow>> {
  const query = db.selectFrom('push_subscriptions').selectAll()
  return selectPage(query.orderBy('updated_at', 'desc').orderBy('id', 'desc'), page)
}

/** Of the browsers that subscribed with this key of ours: their services refuse pushes that another one signs. */
export async function selectSubscriptionIds(tx: Transaction, serverKey: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('push_subscriptions')
    .select('id')
    .where('server_key', '=', serverKey)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function countOfOtherKeys(db: Database, serverKey: string): Promise<number> {
  const { total } = await db
    .selectFrom('push_subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('server_key', '!=', serverKey)
    .executeTakeFirstOrThrow()
  return total
}

export function selectSubscription(db: Database, id: number): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('push_subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function deleteSubscription(db: Database, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('push_subscriptions').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Not if the browser has subscribed again meanwhile. */
export async function deleteGone(db: Database, { id, auth_key, p256dh_key }: SubscriptionRow): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_subscriptions')
    .where('id', '=', id)
    .where('auth_key', '=', auth_key)
    .where('p256dh_key', '=', p256dh_key)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether as many pushes in a row were refused, for at least as long. */
export async function recordRefusal(
  db: Database,
  { id }: SubscriptionRow,
  { count, days }: { count: number; days: number },
): Promise<boolean> {
  const row = await db
    .updateTable('push_subscriptions')
    .set({ refusals: sql<number>`refusals + 1`, refused_since: sql<Date>`coalesce(refused_since, now())` })
    .where('id', '=', id)
    .returning(
      sql<boolean>`refusals >= ${count} and refused_since <= now() - make_interval(days => ${days}::int)`.as('is_over'),
    )
    .executeTakeFirst()
  return row?.is_over ?? false
}

export async function clearRefusals(db: Database, { id }: SubscriptionRow): Promise<void> {
  await db.updateTable('push_subscriptions').set(noRefusals).where('id', '=', id).execute()
}
