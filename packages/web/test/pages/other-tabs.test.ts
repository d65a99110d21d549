import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { openPage, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

test('the push switch of a session turns when someone else turns it', async () => {
  const { id } = await makeSession('Switched elsewhere')
  const [one, other] = [await openPage(), await openPage()]
  const switches = [one, other].map(({ page }) => page.getByRole('switch', { name: /^Push to devices/ }))
  for (const { page, goto } of [one, other]) {
    await goto(`/sessions/${id}?tab=info`)
    await page.getByText('live', { exact: true }).waitFor()
  }
  for (const each of switches) await expect.poll(() => each.getAttribute('aria-checked')).toBe('true')
  await switches[0]?.click()
  await expect.poll(() => switches[1]?.getAttribute('aria-checked')).toBe('false')
  await sharedServer().call('POST', `/sessions/${id}/toggle_push_notifications`, { enabled: true })
  for (const each of switches) await expect.poll(() => each.getAttribute('aria-checked')).toBe('true')
})

test('the list of signed-in browsers follows sign-ins, and a browser that is signed out leaves it', async () => {
  const { page, goto } = await openPage()
  await goto('/settings')
  await page.getByText('live', { exact: true }).waitFor()
  const rows = page.getByRole('button', { name: 'Sign out', exact: true })
  await expect.poll(() => rows.count()).toBeGreaterThan(0)
  const before = await rows.count()
  const other = await openPage()
  await expect.poll(() => rows.count()).toBe(before + 1)
  await other.goto('/settings')
  await other.page.getByText('this browser', { exact: true }).waitFor()
  const own = other.page.getByRole('listitem').filter({ hasText: 'this browser' })
  await own.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => rows.count()).toBe(before)
})

test('the list of browsers with pushes follows those that are added and removed elsewhere', async () => {
  const { call } = sharedServer()
  const { page, goto } = await openPage()
  await goto('/settings')
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByText('None. Turn pushes on above').waitFor()
  const { id } = await call<{ id: number }>('POST', '/push_subscriptions', {
    endpoint: 'https://push.example/send/elsewhere',
    p256dh_key: createECDH('prime256v1').generateKeys('base64url'),
    auth_key: '3wYq5s8m8v7d3h1k9b2c4A',
  })
  await page.getByText('push.example').waitFor()
  await call('DELETE', `/push_subscriptions/${id}`)
  await page.getByText('push.example').waitFor({ state: 'detached' })
})

test('a hit of a search shows its status as it changes, and the search is not made again', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Found while it changes', 'say quokka-of-the-status')
  const { page, goto } = await openPage()
  await goto('/search?q=Found+while+it+changes')
  await page.getByText('live', { exact: true }).waitFor()
  const hit = page.getByRole('listitem').filter({ hasText: 'Found while it changes' })
  await hit.waitFor()
  let searches = 0
  page.on('request', (request) => {
    if (request.url().includes('/sessions/search')) searches += 1
  })
  await call('POST', `/sessions/${id}/archive`)
  await hit.getByText('Archived').filter({ visible: true }).waitFor()
  expect(searches).toBe(0)
})
