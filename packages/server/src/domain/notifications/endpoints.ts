import * as contract from '@yardmaster/contract/notifications/endpoints'
import * as pushContract from '@yardmaster/contract/push-subscriptions/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { type App, bind, bindList } from '../app.ts'
import { changePushSwitch, showPushSwitch } from './push-switch.ts'
import {
  countPending,
  dismiss,
  dismissAllRead,
  listNotifications,
  markAllRead,
  markRead,
  showNotification,
} from './read-notifications.ts'
import { sendMessage } from './send-message.ts'
import { findSubscription, listSubscriptions, subscribe, unsubscribe } from './subscribe.ts'

const dismissOne = async ({ params }: { params: { id: number } }, app: App) => {
  await dismiss(app, params.id)
  return noContent()
}

export const endpoints = [
  bindList(contract.listNotifications, ({ filters, page }, app) => listNotifications(app, filters, page)),
  bind(contract.countPending, async (_request, app) => ok({ pending_count: await countPending(app) })),
  bind(contract.showNotification, async ({ params }, app) =>
    ok({ notification: await showNotification(app, params.id) }),
  ),
  bind(contract.markRead, async ({ params }, app) => ok({ notification: await markRead(app, params.id) })),
  bind(contract.markAllRead, async (_request, app) => {
    const { count, pending } = await markAllRead(app)
    return ok({ marked_count: count, pending_count: pending })
  }),
  bind(contract.dismissNotification, dismissOne),
  bind(contract.deleteNotification, dismissOne),
  bind(contract.dismissAllRead, async (_request, app) => {
    const { count, pending } = await dismissAllRead(app)
    return ok({ dismissed_count: count, pending_count: pending })
  }),
  bind(contract.sendPush, async ({ body, agentOf }, app) => {
    const { sessionId, isNew } = await sendMessage(app, body.session_id, { message: body.message, agentOf })
    const message = isNew ? 'Push notification queued' : 'Push notification repeats one of the last 15 minutes'
    return ok({ success: true as const, message, session_id: sessionId })
  }),
  bind(contract.showPushSwitch, async ({ params }, app) => ok(await showPushSwitch(app, params.id))),
  bind(contract.changePushSwitch, async ({ params, body }, app) =>
    ok(await changePushSwitch(app, params.id, body.enabled)),
  ),
  bindList(pushContract.listPushSubscriptions, ({ page }, app) => listSubscriptions(app, page)),
  bind(pushContract.showPushKey, async (_request, app) => ok({ public_key: app.push.publicKey })),
  bind(pushContract.createPushSubscription, async ({ body }, app) => {
    const { subscription, isNew } = await subscribe(app, body)
    return isNew ? created(subscription) : ok(subscription)
  }),
  bind(
    pushContract.deletePushSubscription,
    async ({ params }, app) => {
      await unsubscribe(app, params.id)
      return noContent()
    },
    ({ id }, app) => findSubscription(app, id),
  ),
]
