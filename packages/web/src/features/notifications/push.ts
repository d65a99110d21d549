import { call } from '../../shared/api/client.ts'
import { serviceWorker, trustedScript } from '../../shared/kit/trusted-script.ts'
import { keep, kept } from '../../shared/state/keep.ts'

/** `off` includes a browser that the server no longer knows. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on'

/** The server names a subscription by an id, which only this browser can keep: the list hides addresses. */
const idKey = 'yardmaster.push.id'

export async function readPushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const registration = await navigator.serviceWorker.getRegistration(serviceWorker)
  const subscription = await registration?.pushManager.getSubscription()
  const id = Number(kept(idKey))
  if (!subscription || !id) return 'off'
  const { push_subscriptions } = await call('push_subscriptions.list', { per_page: 100 })
  return push_subscriptions.some((one) => one.id === id && one.receives_pushes) ? 'on' : 'off'
}

/** Asks for the permission if it was not asked before. */
export async function turnPushOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return
  await navigator.serviceWorker.register(trustedScript(serviceWorker))
  const { pushManager } = await navigator.serviceWorker.ready
  // One that was made with another key of the server receives nothing.
  await (await pushManager.getSubscription())?.unsubscribe()
  const { public_key } = await call('push_subscriptions.key', {})
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
  const { endpoint, keys } = subscription.toJSON()
  const { id } = await call('push_subscriptions.create', {
    endpoint: endpoint ?? '',
    p256dh_key: keys?.p256dh ?? '',
    auth_key: keys?.auth ?? '',
    user_agent: navigator.userAgent.slice(0, 500),
  })
  keep(idKey, String(id))
}

export async function turnPushOff(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(serviceWorker)
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  const id = kept(idKey)
  keep(idKey, '')
  if (id) await call('push_subscriptions.delete', { id })
}

function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
}
