import type { Room } from '../app.ts'
import { announceRest } from './announce-rest.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { endpoints } from './endpoints.ts'
import { followElicitations } from './follow-elicitations.ts'
import { followSessions } from './follow-sessions.ts'
import { pruneNotifications } from './prune-notifications.ts'
import { pruneNotificationsJob } from './prune-notifications-job.ts'
import { sendPush } from './send-push.ts'
import { sendPushJob } from './send-push-job.ts'
import { tools } from './tools.ts'
import { warnOfOtherKeys } from './warn-of-other-keys.ts'

export const notifications: Room = {
  name: 'notifications',
  endpoints,
  tools,
  jobs: [announceRestJob, sendPushJob, pruneNotificationsJob],
  handlers: [announceRest, sendPush, pruneNotifications],
  cron: [{ schedule: '17 3 * * *', job: pruneNotificationsJob }],
  subscriptions: [followSessions, followElicitations],
  recover: warnOfOtherKeys,
}
