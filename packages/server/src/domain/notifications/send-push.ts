import type { NotificationType } from '@yardmaster/contract/notifications/fields'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import { type App, handleJob } from '../app.ts'
import { isMuted } from './muted-store.ts'
import { type NotificationRow, selectNews } from './notification-store.ts'
import { pageOf } from './present.ts'
import { sendPushJob } from './send-push-job.ts'
import { deleteGone, type SubscriptionRow, selectSubscription } from './subscription-store.ts'

/** May run twice after a crash: the topic and the tag make a browser show it once. */
export const sendPush = handleJob(sendPushJob, async ({ notificationId, subscriptionId }, app) => {
  const notification = await selectNews(app.db, notificationId, newsHours)
  const subscription = await selectSubscription(app.db, subscriptionId)
  if (!notification || !subscription || (await isMuted(app.db, notification.session_id))) return
  // Another host may take the next attempt; graphile-worker logs each.
  if (subscription.server_key !== app.push.publicKey) throw new Error(otherKey)
  await sendTo(app, subscription, notification)
})

/** A push that is later than this is no news. */
const newsHours = 24

const otherKey =
  'the browser subscribed with the VAPID key of another host: set the same VAPID_PRIVATE_KEY on every host'

async function sendTo(app: App, subscription: SubscriptionRow, notification: NotificationRow): Promise<void> {
  const about = { subscription: subscription.id, service: new URL(subscription.endpoint).origin }
  try {
    const outcome = await app.push.send(subscription, payloadOf(notification), { topic: topicOf(notification) })
    if (outcome === 'sent') return
    await deleteGone(app.db, subscription)
    app.log.info(about, 'a browser is no longer subscribed')
  } catch (error) {
    if (!(error instanceof RemoteFailed) || error.kind !== 'refused') throw error
    app.log.warn({ ...about, reason: error.message }, 'a push service refused a push')
  }
}

const sentences: Record<NotificationType, string> = {
  session_complete: 'has finished',
  needs_input: 'needs your input',
  session_failed: 'has failed',
  custom_message: 'has a message for you',
  elicitation_pending: 'asks you something',
}

/** Nothing that was said in the session: a push passes through the service of a third party and shows on locked screens. */
function payloadOf(notification: NotificationRow) {
  const { id, notification_type: type, session_id: sessionId } = notification
  return {
    notification_id: id,
    notification_type: type,
    title: 'Yardmaster',
    body: `Session ${sessionId} ${sentences[type]}`,
    url: pageOf(sessionId),
    tag: topicOf(notification),
  }
}

function topicOf({ id }: NotificationRow): string {
  return `notification-${id}`
}
