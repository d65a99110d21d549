import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

const schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 9 },
    dry_run: { type: 'boolean', title: 'Dry run' },
    region: { type: 'string', title: 'Region', enum: ['eu', 'us'], enumNames: ['Europe', 'America'] },
    zone: { type: 'string', title: 'Zone', enum: ['a', 'b', 'c', 'd', 'e', 'f'] },
    steps: { type: 'array', title: 'Steps', items: { type: 'string', enum: ['build', 'test', 'ship'] } },
    contact: { type: 'string', title: 'Contact', format: 'email' },
  },
  required: ['replicas', 'region'],
}

async function asked(title: string, requestedSchema?: object) {
  const { id } = await makeSession(title)
  const message = `${title}?`
  const { request } = await ask(id, message, requestedSchema)
  const answer = () => sharedServer().call<{ action: string; content?: unknown }>('GET', `/elicitations/${request}`)
  const opened = await openPage()
  await opened.goto(`/sessions/${id}`)
  return { ...opened, request, answer, form: opened.page.getByRole('form', { name: `Question: ${message}` }) }
}

/** What this browser keeps of answers that were not sent. */
function answerDrafts(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft.question')))
}

async function declineElsewhere(request: string): Promise<void> {
  await sharedServer().call('PATCH', `/elicitations/${request}/respond`, { action_type: 'decline' })
}

test('a question is answered by number, switch, choices and text, each in its own type', async () => {
  const { page, form, answer, faults } = await asked('How should it be deployed', schema)
  await form.getByRole('textbox', { name: 'Replicas' }).fill('12')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.getByText(/^replicas /).waitFor()
  await form.getByText(/^region /).waitFor()
  await screenshot(page, 'elicitation-refused')
  await form.getByRole('textbox', { name: 'Replicas' }).fill('3')
  await form.getByText(/^replicas /).waitFor({ state: 'detached' })
  await form.getByRole('switch', { name: 'Dry run' }).click()
  await form.getByRole('radio', { name: 'Europe' }).check()
  await form.getByRole('combobox', { name: /^Zone/ }).selectOption({ label: 'd' })
  await form.getByRole('checkbox', { name: 'build' }).check()
  await form.getByRole('checkbox', { name: 'ship' }).check()
  await form.getByRole('textbox', { name: /^Contact/ }).fill('ada@example.com')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await screenshot(page, 'elicitation-filled')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({
    action: 'accept',
    content: {
      replicas: 3,
      dry_run: true,
      region: 'eu',
      zone: 'd',
      steps: ['build', 'ship'],
      contact: 'ada@example.com',
    },
  })
  expect(faults).toEqual([])
})

test('an answer that is not sent yet survives a reload, and is forgotten when it was sent', async () => {
  const { page, form, answer } = await asked('Where should it be deployed', schema)
  await form.getByRole('textbox', { name: 'Replicas' }).fill('3')
  await form.getByRole('radio', { name: 'Europe' }).check()
  await page.reload()
  await expect.poll(() => form.getByRole('textbox', { name: 'Replicas' }).inputValue()).toBe('3')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({ action: 'accept', content: { replicas: 3, region: 'eu' } })
  await expect.poll(() => answerDrafts(page)).toEqual([])
})

test('two people have one session open: whose question the other answered is told so, and what they typed is forgotten', async () => {
  const { page, form, faults } = await asked('Which token opens the gate', schema)
  await page.getByText('live', { exact: true }).waitFor()
  await form.getByRole('textbox', { name: /^Contact/ }).fill('a-secret-token')
  await expect.poll(() => answerDrafts(page)).toHaveLength(1)
  const other = await openPage()
  await other.goto(new URL(page.url()).pathname)
  const theirs = other.page.getByRole('form', { name: /^Question/ })
  await theirs.getByRole('button', { name: 'Decline' }).click()
  await theirs.waitFor({ state: 'detached' })
  await form.waitFor({ state: 'detached' })
  await page.getByText('“Which token opens the gate?” was declined elsewhere').waitFor()
  await expect.poll(() => answerDrafts(page)).toEqual([])
  expect(await other.page.getByText('elsewhere').count()).toBe(0)
  expect(faults).toEqual([])
})

test('a question that is answered elsewhere while its session is open beside the board is told of once', async () => {
  const { id } = await makeSession('Asked beside the board')
  const { request } = await ask(id, 'Is the bridge free?')
  const { page, faults, goto } = await openPage()
  // Questions of other sessions of the board are told of as well.
  await goto(`/?q=Asked+beside&open=${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  const form = page.getByRole('form', { name: 'Question: Is the bridge free?' })
  await form.waitFor()
  await declineElsewhere(request)
  await page.getByText('“Is the bridge free?” was declined elsewhere').waitFor()
  await form.waitFor({ state: 'detached' })
  expect(await page.getByText('elsewhere').count()).toBe(1)
  expect(faults).toEqual([])
})

test('a board that is filtered says nothing about questions of sessions that it does not show', async () => {
  const [other, shown] = [await makeSession('Filtered out'), await makeSession('Filtered in')]
  const requests = [await ask(other.id, 'Is the gate free?'), await ask(shown.id, 'Is the harbour free?')]
  const { page, faults, goto } = await openPage()
  await goto('/?q=Filtered+in')
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByText('“Is the harbour free?”').waitFor()
  for (const { request } of requests) await declineElsewhere(request)
  await page.getByText('“Is the harbour free?” was declined elsewhere').waitFor()
  expect(await page.getByText('elsewhere').count()).toBe(1)
  expect(faults).toEqual([])
})

test('what was filled in is forgotten when the question ended while the browser showed no page, and kept while it is asked', async () => {
  const { page, form, request } = await asked('Which token opens the harbour', schema)
  const kept = await asked('Which token opens the lock', schema)
  await form.getByRole('textbox', { name: /^Contact/ }).fill('a-secret-token')
  await page.goto(kept.page.url())
  await kept.form.waitFor()
  const lock = page.getByRole('form', { name: 'Question: Which token opens the lock?' })
  await lock.getByRole('textbox', { name: /^Contact/ }).fill('another-token')
  await expect.poll(() => answerDrafts(page)).toHaveLength(2)
  await page.goto('about:blank')
  await declineElsewhere(request)
  await page.goto(kept.page.url())
  await expect.poll(() => answerDrafts(page)).toHaveLength(1)
  await expect.poll(() => lock.getByRole('textbox', { name: /^Contact/ }).inputValue()).toBe('another-token')
})

test('a time is chosen in the zone of the viewer and sent with it, and fields say their limits', async () => {
  const { page, form, answer, faults } = await asked('When should it be deployed', {
    type: 'object',
    properties: {
      at: { type: 'string', title: 'At', format: 'date-time' },
      until: { type: 'string', title: 'Until', format: 'date-time', default: '2026-07-01T08:00:00Z' },
      replicas: { type: 'integer', title: 'Replicas', description: 'Of the service', minimum: 1, maximum: 9 },
      load: { type: 'number', title: 'Load', maximum: 0.5 },
      reason: { type: 'string', title: 'Reason', minLength: 3, maxLength: 40 },
      code: { type: 'string', title: 'Code', minLength: 1 },
      pin: { type: 'string', title: 'Pin', minLength: 4, maxLength: 4 },
    },
    required: ['at', 'replicas'],
  })
  const until = form.getByLabel(/^Until/)
  expect(await until.inputValue()).toBe('2026-07-01T10:00')
  await form.getByLabel('At', { exact: true }).fill('2026-03-04T10:30')
  const limits = ['At most 0.5', '3 to 40 characters', 'At least 1 character', 'Exactly 4 characters']
  for (const limit of ['Of the service · 1 to 9', ...limits]) await form.getByText(limit, { exact: true }).waitFor()
  await form.getByRole('textbox', { name: 'Replicas' }).fill('3')
  expect(await axe(page)).toEqual([])
  await screenshot(page, 'elicitation-time')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({
    action: 'accept',
    content: { at: '2026-03-04T10:30:00+01:00', until: '2026-07-01T10:00:00+02:00', replicas: 3 },
  })
  expect(faults).toEqual([])
})

test('a question whose fields have names that every object knows is answered', async () => {
  const names = ['constructor', 'toString']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', title: `Field ${name}` }]))
  const { form, answer, faults } = await asked('What is it called', { type: 'object', properties })
  await form.getByRole('textbox', { name: 'Field toString' }).fill('typed')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({ action: 'accept', content: { toString: 'typed' } })
  expect(faults).toEqual([])
})

test.each([
  ['Decline', 'decline'],
  ['Dismiss', 'cancel'],
])('a question goes away by %s, and its asker is told', async (button, action) => {
  const { form, answer } = await asked(`May it ${button}`, schema)
  await form.getByRole('button', { name: button }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({ action })
})
