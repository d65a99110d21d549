import { prune, type Room } from '../app.ts'
import { announceRest } from './announce-rest.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { endpoints } from './endpoints.ts'
import { followElicitations } from './follow-elicitations.ts'
import { followOperations } from './follow-operations.ts'
import { followSessions } from './follow-sessions.ts'
import { pruneNotifications } from './prune-notifications.ts'
import { sendAlert, sendPush } from './send-push.ts'
import { sendAlertJob, sendPushJob } from './send-push-job.ts'
import { tools } from './tools.ts'
import { warnOfOtherKeys } from './warn-of-other-keys.ts'

export const notifications: Room = {
  name: 'notifications',
  endpoints,
  tools,
  jobs: [announceRestJob, sendPushJob, sendAlertJob],
  handlers: [announceRest, sendPush, sendAlert],
  periodic: [prune({ name: 'prune_notifications', keeps: 'notifications', deleteSome: pruneNotifications })],
  subscriptions: [followSessions, followElicitations, followOperations],
  recover: warnOfOtherKeys,
}
