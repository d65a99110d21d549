import type { NotificationType } from '@yardmaster/contract/notifications/fields'
import { transact } from '../../platform/db/transact.ts'
import type { Job } from '../../platform/jobs/job.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import { type App, handleJob } from '../app.ts'
import { isMuted } from './muted-store.ts'
import { type NotificationRow, selectNews } from './notification-store.ts'
import { pageOf } from './present.ts'
import { enqueueLater, sendAlertJob, sendPushJob, type Waiting } from './send-push-job.ts'
import { removeGone } from './subscribe.ts'
import { clearRefusals, recordRefusal, type SubscriptionRow, selectSubscription } from './subscription-store.ts'

/** May run twice after a crash: the topic and the tag make a browser show it once. */
export const sendPush = handleJob(sendPushJob, async (push, app) => {
  const notification = await selectNews(app.db, push.notificationId, newsHours)
  if (!notification || (await isMuted(app.db, notification.session_id))) return
  await deliver(app, sendPushJob, push, { payload: payloadOf(notification), topic: topicOf(notification) })
})

export const sendAlert = handleJob(sendAlertJob, async (push, app) => {
  if (app.clock.now().getTime() - Date.parse(push.at) > newsHours * 3_600_000) return
  const { body, url, tag } = push
  await deliver(app, sendAlertJob, push, { payload: { title, body, url, tag }, topic: tag })
})

type Message = { payload: object; topic: string }

async function deliver<Push extends Waiting>(app: App, job: Job<Push>, push: Push, message: Message): Promise<void> {
  const subscription = await selectSubscription(app.db, push.subscriptionId)
  if (!subscription) return
  // Another host may take the next attempt; graphile-worker logs each.
  if (subscription.server_key !== app.push.publicKey) throw new Error(otherKey)
  try {
    await sendTo(app, subscription, message)
  } catch (error) {
    const pause = error instanceof RemoteFailed ? error.retryAfterSeconds : undefined
    if (pause === undefined || push.pauses >= maxPauses) throw error
    const delaySeconds = Math.min(Math.max(pause, pauseSeconds.min), pauseSeconds.max)
    await transact(app.db, (tx) => enqueueLater(tx, job, push, { topic: message.topic, delaySeconds }))
  }
}

/** A push that is later than this is no news. */
const newsHours = 24

/** Of the pauses that a push service may ask for. After the last one, the attempts of the job take their own. */
const pauseSeconds = { min: 5, max: 3600 }
const maxPauses = 24

const otherKey =
  'the browser subscribed with the VAPID key of another host: set the same VAPID_PRIVATE_KEY on every host'

async function sendTo(app: App, subscription: SubscriptionRow, { payload, topic }: Message): Promise<void> {
  const about = { subscription: subscription.id, service: new URL(subscription.endpoint).origin }
  try {
    const outcome = await app.push.send(subscription, payload, { topic })
    if (outcome === 'gone') {
      await removeGone(app, subscription)
      app.log.info(about, 'a browser is no longer subscribed')
    } else if (subscription.refusals > 0) await clearRefusals(app.db, subscription)
  } catch (error) {
    if (!(error instanceof RemoteFailed) || error.kind !== 'refused') throw error
    app.log.warn({ ...about, reason: error.message }, 'a push service refused a push')
    if (!(await recordRefusal(app.db, subscription, refusedAtMost))) return
    await removeGone(app, subscription)
    app.log.warn({ ...about, ...refusedAtMost }, 'a browser was removed: its push service has refused every push')
  }
}

/** Both: a wrong VAPID_SUBJECT, which every service refuses, must not remove all browsers within an hour. */
const refusedAtMost = { count: 20, days: 7 }

const title = 'Yardmaster'

const sentences: Record<NotificationType, string> = {
  session_complete: 'has finished',
  needs_input: 'needs your input',
  session_failed: 'has failed',
  custom_message: 'has a message for you',
  budget_warning: 'has nearly used up a budget',
  account_needs_reauth: 'waits for an account that has to be signed in again',
  budget_exhausted: 'has used up a budget',
  elicitation_pending: 'asks you something',
}

/** Nothing that was said in the session: a push passes through the service of a third party and shows on locked screens. */
function payloadOf(notification: NotificationRow) {
  const { id, notification_type: type, session_id: sessionId } = notification
  return {
    notification_id: id,
    notification_type: type,
    title,
    body: `Session ${sessionId} ${sentences[type]}`,
    url: pageOf(notification),
    tag: topicOf(notification),
  }
}

function topicOf({ id }: NotificationRow): string {
  return `notification-${id}`
}
