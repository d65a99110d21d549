import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepBack, openPage, sharedServer, takeFromPalette } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const { call } = sharedServer()

const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('yardmaster.draft.')))

async function makeTrigger(name: string): Promise<{ id: number }> {
  const { trigger } = await call<{ trigger: { id: number } }>('POST', '/triggers', {
    name,
    agent_root_name: 'sample',
    prompt_template: 'say it',
    trigger_conditions_attributes: [
      {
        condition_type: 'schedule',
        configuration: { scheduled_at: '2040-01-01T00:00:00', timezone: 'Europe/Berlin' },
      },
    ],
  })
  return trigger
}

async function sessionWithQueue(title: string): Promise<{ id: number; messages: { id: number; content: string }[] }> {
  const { id } = await makeSession(title, 'sleep 600', 'running')
  for (const prompt of ['say one', 'say two']) await call('POST', `/sessions/${id}/follow_up`, { prompt })
  const { enqueued_messages: messages } = await call<{ enqueued_messages: { id: number; content: string }[] }>(
    'GET',
    `/sessions/${id}/enqueued_messages`,
  )
  return { id, messages }
}

test('changes of a trigger outlive a reload until they are saved or discarded', async () => {
  const { id } = await makeTrigger('Drafted')
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}?tab=edit`)
  const name = page.getByLabel('Name', { exact: true })
  const prompt = page.getByRole('textbox', { name: 'Prompt' })
  await name.fill('Drafted again')
  await prompt.fill('say something else')
  await goto('/triggers')
  await goto(`/triggers/${id}?tab=edit`)
  await page.getByText('Kept in this browser until you save or discard it').waitFor()
  expect([await name.inputValue(), await prompt.inputValue()]).toEqual(['Drafted again', 'say something else'])

  await page.getByRole('button', { name: 'Discard' }).click()
  expect([await name.inputValue(), await prompt.inputValue()]).toEqual(['Drafted', 'say it'])
  expect(await drafts(page)).toEqual([])

  await name.fill('Saved')
  await page.reload()
  await expect.poll(() => name.inputValue()).toBe('Saved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Saved' }).waitFor()
  expect(await call('GET', `/triggers/${id}`)).toMatchObject({ trigger: { name: 'Saved', prompt_template: 'say it' } })
  await expect.poll(() => drafts(page)).toEqual([])

  await goto(`/triggers/${id}?tab=edit`)
  await name.fill('Deleted')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the trigger' }).click()
  await page.waitForURL(/\/triggers$/)
  expect(await drafts(page)).toEqual([])
  expect(faults).toEqual([])
})

test('the edited text of a queued message outlives a reload and a refusal, until it is saved or discarded', async () => {
  const { id, messages } = await sessionWithQueue('Drafts of the queue')
  const [first] = messages
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const queue = page.getByRole('list', { name: 'Queue' })
  const field = page.getByRole('textbox', { name: 'Text of the message' })
  await queue.getByRole('button', { name: 'Edit' }).first().click()
  await field.fill('say the first')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('say the first')

  const json = { error: 'Validation failed', message: 'not now', messages: ['not now'] }
  await page.route(`**/enqueued_messages/${first?.id}`, (route) => route.fulfill({ status: 422, json }), { times: 1 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('not now').waitFor()
  expect(await field.inputValue()).toBe('say the first')
  await page.getByRole('button', { name: 'Save' }).click()
  await field.waitFor({ state: 'detached' })
  await queue.getByText('say the first').waitFor()
  expect(await drafts(page)).toEqual([])

  await queue.getByRole('button', { name: 'Edit' }).first().click()
  await field.fill('')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await drafts(page)).toEqual([])

  expect(faults).toEqual([])
})

test('a text of the queue that a reload or another tab opens for editing leaves the focus where it is', async () => {
  const { id } = await sessionWithQueue('Edited and left')
  const { page, context, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const edit = page.getByRole('list', { name: 'Queue' }).getByRole('button', { name: 'Edit' })
  const isFocused = (on: Page) =>
    on.getByRole('textbox', { name: 'Text of the message' }).evaluate((field) => field === document.activeElement)
  await edit.first().click()
  expect(await isFocused(page)).toBe(true)
  await page.reload()
  expect(await isFocused(page)).toBe(false)
  await page.getByRole('button', { name: 'Cancel' }).click()

  const other = await context.newPage()
  await other.goto(`/sessions/${id}?tab=queue`)
  await other.getByRole('list', { name: 'Queue' }).getByRole('button', { name: 'Edit' }).first().waitFor()
  const composer = other.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('Half')
  await edit.first().click()
  expect(await isFocused(other)).toBe(false)
  await other.keyboard.type(' a thought')
  expect(await composer.inputValue()).toBe('Half a thought')
  expect(faults).toEqual([])
})

test('an edit in the queue that ends gives the focus back to its pencil', async () => {
  const { id } = await sessionWithQueue('Edited by keys')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const edit = page.getByRole('list', { name: 'Queue' }).getByRole('button', { name: 'Edit' }).first()
  const field = page.getByRole('textbox', { name: 'Text of the message' })
  const isFocused = () => edit.evaluate((button) => button === document.activeElement)
  const ends = [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('Control+Enter'),
    () => page.getByRole('button', { name: 'Save' }).click(),
    () => page.getByRole('button', { name: 'Cancel' }).click(),
  ]
  for (const [index, end] of ends.entries()) {
    await edit.click()
    await field.fill(`say it ${index} times`)
    await end()
    await field.waitFor({ state: 'detached' })
    await expect.poll(isFocused).toBe(true)
  }
  expect(faults).toEqual([])
})

test('the edited text of a message that leaves the queue goes into the composer, and one that was not changed does not', async () => {
  const { id, messages } = await sessionWithQueue('Edits that come too late')
  const [first, second] = messages
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=queue`)
  const queue = page.getByRole('list', { name: 'Queue' })
  const fields = page.getByRole('textbox', { name: 'Text of the message' })
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await composer.fill('Half a thought')
  await queue.getByRole('button', { name: 'Edit' }).first().click()
  await fields.waitFor()
  await call('DELETE', `/sessions/${id}/enqueued_messages/${first?.id}`)
  await fields.waitFor({ state: 'detached' })
  await queue.getByRole('button', { name: 'Edit' }).click()
  await fields.fill('say too late')
  await call('DELETE', `/sessions/${id}/enqueued_messages/${second?.id}`)
  await page.getByRole('status').getByText('Your text is in the composer').waitFor()
  expect(await composer.inputValue()).toBe('Half a thought\n\nsay too late')
  expect(await drafts(page)).toEqual([`yardmaster.draft.session.${id}`])
  expect(faults).toEqual([])
})

test('text that is typed while a message is sent stays on the session page', async () => {
  const { id } = await makeSession('Typed on')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  const release = await keepBack(page, '**/follow_up')
  await field.fill('say one')
  await page.getByRole('button', { name: 'Send' }).click()
  await field.press('End')
  await field.pressSequentially(' and then this')
  release()
  await expect.poll(() => field.inputValue()).toBe('and then this')
  await page.getByRole('article', { name: 'Agent' }).getByText('one', { exact: true }).waitFor()
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('and then this')
  expect(faults).toEqual([])
})

test('text that replaces a message while it is sent from the inbox stays', async () => {
  const { id } = await makeSession('Typed something else')
  const { page, faults, goto } = await openPage()
  await goto(`/inbox#session-${id}`)
  const card = page.locator(`#session-${id}`)
  await card.getByRole('button', { name: 'Follow up' }).click()
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  const release = await keepBack(page, '**/follow_up')
  await field.fill('say two')
  await card.getByRole('button', { name: 'Send' }).click()
  await field.fill('another thought')
  release()
  await page.getByRole('status').getByText('Sent').waitFor()
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('two', { exact: true }).waitFor()
  expect(await field.inputValue()).toBe('another thought')
  expect(faults).toEqual([])
})

test('text that is typed while a session is started from the board or the palette stays', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/')
  const field = page.getByRole('textbox', { name: /^Start a session/ })
  const release = await keepBack(page, '**/v1/sessions')
  await field.fill('say quickly')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await field.press('End')
  await field.pressSequentially(' and slowly')
  release()
  await page.getByRole('status').getByText('Started “say quickly”').waitFor()
  await expect.poll(() => field.inputValue()).toBe('and slowly')
  await page.unroute('**/v1/sessions')

  await takeFromPalette(page, 'Ask an agent about', 'Ask an agent about this page')
  const question = page.getByLabel('What do you want to know, or to be done?')
  const releaseAsked = await keepBack(page, '**/v1/sessions')
  await question.fill('say asked')
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await question.press('End')
  await question.pressSequentially(' and more')
  releaseAsked()
  await question.waitFor({ state: 'detached' })
  const stored = () => page.evaluate(() => localStorage.getItem('yardmaster.draft.ask'))
  await expect.poll(stored).toBe('and more')
  expect(faults).toEqual([])
})

test('signing out removes every draft from the browser, in all of its tabs', async () => {
  const { page, context, faults, goto } = await openPage()
  const other = await context.newPage()
  await other.goto('/sessions/new')
  await other.getByRole('textbox', { name: 'What should the agent do?' }).fill('a secret plan')
  await goto('/triggers/new')
  await page.getByLabel('Name', { exact: true }).fill('a secret trigger')
  await page.evaluate(() => localStorage.setItem('yardmaster.theme', 'dark'))
  // What one tab stores reaches the other by way of the browser.
  await expect.poll(() => drafts(page)).toHaveLength(2)
  await page.getByRole('button', { name: 'Ada' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
  expect(await drafts(page)).toEqual([])
  expect(await page.evaluate(() => localStorage.getItem('yardmaster.theme'))).toBe('dark')
  await other.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
  expect(await drafts(page)).toEqual([])
  expect(faults).toEqual([])
})
