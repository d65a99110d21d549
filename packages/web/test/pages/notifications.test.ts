import { createECDH } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { databaseOf } from '../support/database.ts'

// Their own: notifications of other sessions move the rows of the list.
serverOfFile()

/** A notification about a session of its own, in the words of the session. */
async function notify(message: string): Promise<number> {
  const { call } = sharedServer()
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    agent_root: 'sample',
    title: message,
    git_root: '/nowhere',
  })
  await call('POST', '/notifications/push', { session_id: session.id, message })
  return session.id
}

test('notifications are opened, marked read and dismissed, one or all', async () => {
  const opened = await notify('The kettle boils')
  await notify('The bridge is up')
  await notify('The lamp is lit')
  const { page, faults, goto } = await openPage()
  await goto('/notifications')
  await page.getByRole('link', { name: /The lamp is lit/ }).waitFor()
  await screenshot(page, 'notifications')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  // Opening another page at once would give the request up.
  const isMarked = page.waitForResponse(/mark_read/)
  await page.getByRole('link', { name: 'Unread: The kettle boils' }).click()
  await isMarked
  await page.waitForURL(new RegExp(`/sessions/${opened}$`))
  await goto('/notifications')
  await page.getByRole('button', { name: 'Dismiss The kettle boils' }).click()
  await page.getByRole('link', { name: 'The kettle boils' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Mark The bridge is up read' }).click()
  await page.getByRole('button', { name: 'Dismiss The bridge is up' }).waitFor()
  await page.getByRole('tab', { name: /Unread/ }).click()
  await page.waitForURL(/status=unread/)
  await page.getByRole('link', { name: 'The bridge is up' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /The lamp is lit/ }).waitFor()
  await page.getByRole('tab', { name: 'All' }).click()
  await page.getByRole('button', { name: 'Mark all read' }).click()
  await page.getByRole('button', { name: 'Dismiss The lamp is lit' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss all read' }).click()
  await page.getByRole('link', { name: 'The lamp is lit' }).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a new notification appears by itself', async () => {
  const { page, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/notifications')
  await page.getByText('live', { exact: true }).waitFor()
  await notify('The owl calls')
  await page.getByRole('link', { name: /The owl calls/ }).waitFor()
  await screenshot(page, 'notifications-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
})

/** The push service of a browser vendor is not ours, so it is replaced; the service worker is the real one. */
async function withPushService({ page, context }: { page: Page; context: BrowserContext }): Promise<void> {
  await context.grantPermissions(['notifications'])
  const p256dh = createECDH('prime256v1').generateKeys('base64url')
  await page.addInitScript((p256dh) => {
    const key = 'test.subscription'
    const subscription = {
      toJSON: () => ({
        endpoint: 'https://push.example/send/a-browser-of-a-test',
        keys: { p256dh, auth: '3wYq5s8m8v7d3h1k9b2c4A' },
      }),
      unsubscribe: async () => {
        localStorage.removeItem(key)
        return true
      },
    } as unknown as PushSubscription
    PushManager.prototype.subscribe = async () => {
      localStorage.setItem(key, 'yes')
      return subscription
    }
    PushManager.prototype.getSubscription = async () => (localStorage.getItem(key) ? subscription : null)
  }, p256dh)
}

test('pushes are turned on and off on this device, and a push opens its session', async () => {
  const { call } = sharedServer()
  const id = await notify('The drum rolls')
  const opened = await openPage()
  const { page, context, faults, goto } = opened
  await withPushService(opened)
  await goto('/notifications')
  const device = page.getByRole('region', { name: 'Pushes on this device' })
  await device.getByText('Pushes are off').waitFor()
  await device.getByRole('button', { name: 'Turn on' }).click()
  await device.getByText('Pushes are on').waitFor()
  await screenshot(page, 'push-on')
  const list = async () =>
    (await call<{ push_subscriptions: { service: string }[] }>('GET', '/push_subscriptions')).push_subscriptions
  expect(await list()).toMatchObject([{ service: 'https://push.example' }])
  await page.reload()
  await device.getByText('Pushes are on').waitFor()

  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const devtools = await context.newCDPSession(page)
  const registrations: string[] = []
  devtools.on('ServiceWorker.workerRegistrationUpdated', (event) =>
    registrations.push(...event.registrations.map(({ registrationId }) => registrationId)),
  )
  await devtools.send('ServiceWorker.enable')
  await expect.poll(() => registrations.length).toBeGreaterThan(0)
  // Chromium deletes a notification that is shown while another call reads the list, so the test reads it only afterwards.
  await worker.evaluate(() => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration }
    const show = registration.showNotification.bind(registration)
    registration.showNotification = async (title, options) => {
      await show(title, options)
      Object.assign(self, { hasShown: true })
    }
  })
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: registrations[0] ?? '',
    data: JSON.stringify({
      title: 'Yardmaster',
      body: 'Session 7 asks you something',
      url: `/sessions/${id}`,
      tag: 'n-7',
    }),
  })
  await expect.poll(() => worker.evaluate(() => 'hasShown' in self)).toBe(true)
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ body, data }) => ({ body, url: data.url }))
    })
  expect(await shown()).toEqual([{ body: 'Session 7 asks you something', url: `/sessions/${id}` }])
  await worker.evaluate(async () => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(event: Event): boolean }
    const [notification] = await scope.registration.getNotifications()
    // A browser makes this event only for a click of a person on the desktop.
    const event = new Event('notificationclick') as Event & { notification?: unknown; waitUntil?: unknown }
    event.notification = notification
    event.waitUntil = () => {}
    scope.dispatchEvent(event)
  })
  await page.waitForURL(new RegExp(`/sessions/${id}$`))
  await expect.poll(shown).toEqual([])
  await goto('/notifications')

  await device.getByRole('button', { name: 'Turn off' }).click()
  await device.getByText('Pushes are off').waitFor()
  await expect.poll(list).toEqual([])
  expect(faults).toEqual([])
})

test('a browser that blocks pushes, and one that has none, are told so', async () => {
  const denied = await openPage()
  await denied.page.addInitScript(() => Object.defineProperty(Notification, 'permission', { value: 'denied' }))
  await denied.goto('/notifications')
  await denied.page.getByText('The browser blocks pushes').waitFor()
  const without = await openPage()
  await without.page.addInitScript(() => {
    delete (window as { PushManager?: unknown }).PushManager
  })
  await without.goto('/notifications')
  await without.page.getByText('No pushes here').waitFor()
})

test('a notification about an account or a budget leads to its page, not to a session', async () => {
  const session = await notify('Spent last')
  const database = await databaseOf(sharedServer().home)
  const { page, faults, goto } = await openPage()
  for (const [type, title, path] of [
    ['account_needs_reauth', 'An account has to be signed in again', '/inference'],
    ['budget_warning', 'A budget is nearly used up', '/costs'],
    ['budget_exhausted', 'A budget is used up', '/costs'],
  ] as const) {
    await database.query('update notifications set notification_type = $1 where session_id = $2', [type, session])
    await goto('/notifications')
    await page.getByRole('link', { name: title }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
  }
  expect(faults).toEqual([])
})
