import { prune, type Room } from '../app.ts'
import { announceRest } from './announce-rest.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { endpoints } from './endpoints.ts'
import { followElicitations } from './follow-elicitations.ts'
import { followSessions } from './follow-sessions.ts'
import { pruneNotifications } from './prune-notifications.ts'
import { sendPush } from './send-push.ts'
import { sendPushJob } from './send-push-job.ts'
import { tools } from './tools.ts'
import { warnOfOtherKeys } from './warn-of-other-keys.ts'

export const notifications: Room = {
  name: 'notifications',
  endpoints,
  tools,
  jobs: [announceRestJob, sendPushJob],
  handlers: [announceRest, sendPush],
  periodic: [prune({ name: 'prune_notifications', keeps: 'notifications', deleteSome: pruneNotifications })],
  subscriptions: [followSessions, followElicitations],
  recover: warnOfOtherKeys,
}
