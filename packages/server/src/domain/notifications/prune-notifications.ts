import { transact } from '../../platform/db/transact.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import type { App } from '../app.ts'
import { notificationsChanged } from './events.ts'
import { deleteSettled, updateStaleOfArchived } from './notification-store.ts'

/** Nothing is kept for ever only because no one dismisses it. */
export function pruneNotifications(app: App, slice: Slice): Promise<number> {
  return transact(app.db, async (tx) => {
    const settled = await deleteSettled(tx, slice)
    const stale = await updateStaleOfArchived(tx, slice)
    if (settled.listed + stale > 0) await app.events.publish(tx, notificationsChanged, { payload: {} })
    return settled.all + stale
  })
}
