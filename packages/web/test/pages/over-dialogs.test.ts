import { expect, test } from 'vitest'
import { openPage, overflows, screenshot, serverOfFile, sharedServer, takeFromPalette } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger } from '../support/triggers.ts'

serverOfFile()

type Queue = { enqueued_messages: { content: string }[] }

test('on a phone a queued message is moved and deleted by the menu of the sheet, and taken back by its toast', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Has a queue on a phone', 'sleep 600', 'running')
  for (const content of ['say one', 'say two']) await call('POST', `/sessions/${id}/enqueued_messages`, { content })
  const queue = async () => {
    const path = `/sessions/${id}/enqueued_messages?status=pending`
    return (await call<Queue>('GET', path)).enqueued_messages.map(({ content }) => content)
  }
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}?tab=queue`)
  const sheet = page.getByRole('dialog', { name: 'About the session' })
  const choose = async (name: string) => {
    await sheet.getByRole('button', { name: 'More for message 2' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await sheet.getByRole('button', { name: 'More for message 2' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await screenshot(page, 'session-queue-menu-phone')
  expect(await overflows(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor({ state: 'detached' })
  expect(await sheet.isVisible()).toBe(true)

  await choose('Move up')
  await expect.poll(queue).toEqual(['say two', 'say one'])
  await choose('Delete')
  await expect.poll(queue).toEqual(['say two'])
  await sheet.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await queue()).toSorted()).toEqual(['say one', 'say two'])
  expect(faults).toEqual([])
})

test('what a dialog has refused is said above it, and what was said stays when the dialog closes', async () => {
  const { id } = await makeTrigger({ name: 'Kept for now' })
  const { page, goto, faults } = await openPage()
  await goto(`/triggers/${id}`)
  const refusal = { error: 'Service Unavailable', message: 'Try again shortly', messages: ['Try again shortly'] }
  await page.route('**/v1/triggers/*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 422, json: refusal }) : route.continue(),
  )
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Kept for now?' })
  await dialog.getByRole('button', { name: 'Delete the trigger' }).click()
  const said = page.getByRole('status').getByText('Try again shortly')
  await said.waitFor()
  await screenshot(page, 'toast-over-dialog')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await said.waitFor()
  await page.getByRole('status').getByRole('button', { name: 'Close' }).click()
  await said.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete the trigger' }).click()
  await page.getByRole('status').getByRole('button', { name: 'Close' }).click()
  await said.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the keys of a page do nothing behind a dialog', async () => {
  const { page, goto, faults } = await openPage()
  const posted: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/sessions')) posted.push(request.postData() ?? '')
  })
  await goto('/sessions/new')
  await page.getByLabel('What should the agent do?').fill('say I am a draft')
  await page.getByText('Draft kept in this browser').waitFor()
  await takeFromPalette(page, 'Ask an agent about', 'Ask an agent about this page')
  const question = page.getByLabel('What do you want to know, or to be done?')
  await question.fill('say I am a question')
  await question.press('Control+k')
  expect(await page.getByRole('combobox', { name: 'Search or do' }).count()).toBe(0)
  await question.press('Control+Enter')
  await question.waitFor({ state: 'detached' })
  await page.getByRole('status').getByText('Started “say I am a question').waitFor()
  expect(posted).toHaveLength(1)
  expect(posted[0]).toContain('say I am a question')
  expect(faults).toEqual([])
})
