import { transact } from '../../platform/db/transact.ts'
import { handleJob } from '../app.ts'
import { notificationsChanged } from './events.ts'
import { deleteSettled, updateStaleOfArchived } from './notification-store.ts'
import { pruneNotificationsJob } from './prune-notifications-job.ts'

const keptDays = 30

/** Nothing is kept for ever only because no one dismisses it. */
export const pruneNotifications = handleJob(pruneNotificationsJob, (_payload, app) =>
  transact(app.db, async (tx) => {
    const left = (await deleteSettled(tx, keptDays)) + (await updateStaleOfArchived(tx, keptDays))
    if (left > 0) await app.events.publish(tx, notificationsChanged, { payload: {} })
  }),
)
