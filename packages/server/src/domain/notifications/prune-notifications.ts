import { handleJob } from '../app.ts'
import { deleteStale } from './notification-store.ts'
import { pruneNotificationsJob } from './prune-notifications-job.ts'

const keptDays = 30

/** No list shows stale notifications. */
export const pruneNotifications = handleJob(pruneNotificationsJob, (_payload, app) => deleteStale(app.db, keptDays))
