import type { Page } from '@yardmaster/contract/paging'
import type {
  ListedPushSubscription,
  NewPushSubscription,
  PushSubscription,
} from '@yardmaster/contract/push-subscriptions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { isPublicKey } from '../../platform/push/vapid-keys.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { pushSubscriptionsChanged } from './events.ts'
import {
  deleteGone,
  deleteOldestSubscriptions,
  deleteSubscription,
  type SubscriptionRow,
  selectSubscription,
  selectSubscriptions,
  upsertSubscription,
} from './subscription-store.ts'

/** `isNew` is false for a browser that was known. */
export async function subscribe(
  app: App,
  { endpoint, p256dh_key, auth_key, user_agent }: NewPushSubscription,
): Promise<{ subscription: PushSubscription; isNew: boolean }> {
  const problem = app.push.problemWith(endpoint)
  if (problem !== undefined) refuse('validation_failed', `Endpoint ${problem}`)
  if (!isPublicKey(p256dh_key)) refuse('validation_failed', 'P256dh key must be a point on the curve P-256')
  return transact(app.db, async (tx) => {
    const row = await upsertSubscription(tx, {
      endpoint,
      p256dh_key,
      auth_key,
      user_agent: user_agent ?? null,
      server_key: app.push.publicKey,
    })
    if (row.is_new) await deleteOldestSubscriptions(tx, row.id)
    await app.events.publish(tx, pushSubscriptionsChanged, { payload: {} })
    const subscription = {
      id: row.id,
      endpoint: row.endpoint,
      created_at: formatTimestamp(row.created_at),
      updated_at: formatTimestamp(row.updated_at),
    }
    return { subscription, isNew: row.is_new }
  })
}

export async function listSubscriptions(
  app: App,
  page: Page,
): Promise<{ items: ListedPushSubscription[]; totalCount: number }> {
  const { rows, totalCount } = await selectSubscriptions(app.db, page)
  return { items: rows.map((row) => presentListed(row, app.push.publicKey)), totalCount }
}

/** A caller that knows the whole endpoint can use up the browser's quota at its push service. */
function presentListed(row: SubscriptionRow, publicKey: string): ListedPushSubscription {
  return {
    id: row.id,
    service: new URL(row.endpoint).origin,
    user_agent: row.user_agent,
    receives_pushes: row.server_key === publicKey,
    refusals: row.refusals,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }
}

export async function findSubscription(app: App, id: number): Promise<SubscriptionRow> {
  return (await selectSubscription(app.db, id)) ?? refuseMissing()
}

export function unsubscribe(app: App, id: number): Promise<void> {
  return transact(app.db, async (tx) => {
    if (!(await deleteSubscription(tx, id))) refuseMissing()
    await app.events.publish(tx, pushSubscriptionsChanged, { payload: {} })
  })
}

/** Of a browser that its push service does not know, or refuses. Not if it has subscribed again meanwhile. */
export function removeGone(app: App, subscription: SubscriptionRow): Promise<void> {
  return transact(app.db, async (tx) => {
    if (await deleteGone(tx, subscription)) await app.events.publish(tx, pushSubscriptionsChanged, { payload: {} })
  })
}
