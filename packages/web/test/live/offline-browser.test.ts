import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

/** What a browser says when its computer has lost or found a network. A server on the same computer answers all the time. */
function setOnline(page: Page, isOnline: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(navigator, 'onLine', { value, configurable: true })
    window.dispatchEvent(new Event(value ? 'online' : 'offline'))
  }, isOnline)
}

test('without a network the page of a server on this computer shows what changes and sends what is written', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('No network')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  await setOnline(page, false)
  await call('PATCH', `/sessions/${id}`, { title: 'Still on this computer' })
  await page.getByRole('heading', { name: 'Still on this computer' }).waitFor()
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('say Heard without a network')
  await page.getByRole('button', { name: /^Send/ }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('Heard without a network', { exact: true }).waitFor()
  expect(await page.getByText('No connection to the server').count()).toBe(0)
  expect(faults).toEqual([])
})

test('without a network a message that cannot reach its server is refused at once and stays in its field', async () => {
  const { id } = await makeSession('A server elsewhere')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.waitFor()
  await setOnline(page, false)
  await page.route('**/follow_up', (route) => route.abort('internetdisconnected'))
  await message.fill('say Not lost')
  await page.getByRole('button', { name: /^Send/ }).click()
  await page.getByRole('form', { name: 'Message to the agent' }).getByRole('alert').waitFor()
  expect(await message.inputValue()).toBe('say Not lost')
})

test('what could not be read while the network was away is read when it is back', async () => {
  const { page, goto } = await openPage()
  await goto('/')
  await page.getByText('live', { exact: true }).waitFor()
  await setOnline(page, false)
  const address = '**/v1/settings'
  await page.route(address, (route) => route.abort('internetdisconnected'))
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('button', { name: 'Try again' }).first().waitFor()
  await page.unroute(address)
  await setOnline(page, true)
  await page.getByLabel('Weekly quota, percent').waitFor()
})
