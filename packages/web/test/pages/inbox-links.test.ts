import { expect, test } from 'vitest'
import { openPage, serverOfFile, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

serverOfFile()

test('a link to a card is followed once: a card that leaves and comes back takes neither cursor nor focus', async () => {
  const { call } = sharedServer()
  const linked = await makeSession('Linked, gone, and back')
  const other = await makeSession('Where the person is')
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${linked.id}`)
  await page.locator(`#session-${linked.id}[data-cursor]`).waitFor()
  const opener = page.locator(`#session-${other.id}`).getByRole('button', { name: 'Follow up' })
  await opener.focus()
  await call('POST', `/sessions/${linked.id}/mark_seen`)
  await page.locator(`#session-${linked.id}`).waitFor({ state: 'detached' })
  const { request } = await ask(linked.id, `Come back to ${linked.id}?`)
  await page.getByText(`Come back to ${linked.id}?`).waitFor()
  expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await page.locator(`#session-${other.id}[data-cursor]`).count()).toBe(1)
  await call('PATCH', `/elicitations/${request}/respond`, { action_type: 'decline' })
  expect(faults).toEqual([])
})

test('what is typed in a card stays text when the card that a link names appears', async () => {
  const { call } = sharedServer()
  const linked = await makeSession('Linked and late')
  const other = await makeSession('Typed in')
  await call('POST', `/sessions/${linked.id}/mark_seen`)
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${linked.id}`)
  const card = page.locator(`#session-${other.id}`)
  await card.getByRole('button', { name: 'Follow up' }).click()
  await page.keyboard.type('Half ')
  const { request } = await ask(linked.id, `Delete ${linked.id}?`)
  await page.getByText(`Delete ${linked.id}?`).waitFor()
  await page.keyboard.type('a day')
  expect(await card.getByLabel('Message').inputValue()).toBe('Half a day')
  expect(await page.getByText(`Delete ${linked.id}?`).count()).toBe(1)
  await call('PATCH', `/elicitations/${request}/respond`, { action_type: 'decline' })
  expect(faults).toEqual([])
})
