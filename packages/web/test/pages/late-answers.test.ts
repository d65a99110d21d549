import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { choose, idleSession, rowOf, tick } from '../support/board.ts'
import { keepBack, openPage, serverOfFile, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

serverOfFile()

type Queue = { enqueued_messages: { content: string }[] }

async function queueOf(id: number, status: 'pending' | 'undelivered'): Promise<string[]> {
  const { call } = sharedServer()
  const { enqueued_messages } = await call<Queue>('GET', `/sessions/${id}/enqueued_messages?status=${status}`)
  return enqueued_messages.map(({ content }) => content)
}

async function overrides(): Promise<object> {
  type Settings = { settings: { genesis_class_overrides: object } }
  return (await sharedServer().call<Settings>('GET', '/settings')).settings.genesis_class_overrides
}

async function openSettings() {
  const { page, goto } = await openPage()
  await goto('/settings')
  const made = page.getByLabel('Class of sessions made here')
  await made.waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  return { page, made, unknown: page.getByLabel('Class of sessions of unknown origin') }
}

test('a refused answer is said even if its question left the page before the refusal was known', async () => {
  const { id } = await makeSession('Answered twice')
  const message = `Merge ${id} now?`
  const { request } = await ask(id, message)
  const { page, goto, context } = await openPage()
  await context.route('**/web/*/v1/events*', (route) => route.abort())
  await goto('/inbox')
  const question = page.getByRole('form', { name: `Question: ${message}` })
  await question.waitFor()
  await sharedServer().call('PATCH', `/elicitations/${request}/respond`, { action_type: 'decline' })
  const release = await keepBack(page, '**/v1/board/summary')
  await question.getByRole('button', { name: 'Accept' }).click()
  await question.waitFor({ state: 'detached' })
  release()
  await page
    .getByRole('status')
    .getByText(/already|answered|pending/i)
    .waitFor()
})

test('a read that began before a choice does not take the choice back', async () => {
  const { call } = sharedServer()
  const { page, made, unknown } = await openSettings()
  // No read of the settings is answered from here on.
  await page.route('**/web/*/v1/settings', (route) =>
    route.request().method() === 'GET' ? undefined : route.continue(),
  )
  const isRead = (request: Request) => request.method() === 'GET' && request.url().endsWith('/v1/settings')
  const begun = page.waitForRequest(isRead)
  await call('PATCH', '/settings', { spot_gate_weekly_threshold_pct: 71 })
  await begun
  const givenUp = page.waitForEvent('requestfailed', isRead)
  await made.selectOption('spot')
  await givenUp
  await expect.poll(overrides).toEqual({ web_ui: 'spot' })
  await unknown.selectOption('spot')
  await expect.poll(overrides).toEqual({ web_ui: 'spot', unknown: 'spot' })
})

test('a change of someone else does not take back a choice that the server has not answered yet', async () => {
  const { call } = sharedServer()
  await call('PATCH', '/settings', { genesis_class_overrides: {} })
  const { page, made, unknown } = await openSettings()
  let release = (): void => undefined
  const mayWrite = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/web/*/v1/settings', async (route) => {
    if (route.request().method() === 'PATCH') await mayWrite
    await route.continue()
  })
  const isSent = page.waitForRequest((request) => request.method() === 'PATCH')
  await made.selectOption('spot')
  await isSent
  await call('PATCH', '/settings', { spot_gate_weekly_threshold_pct: 74 })
  // Events come in order: with the read of a later one, the page has heard of the settings.
  const isHeard = page.waitForResponse(/v1\/board\/summary/)
  await makeSession('Heard after the settings')
  await isHeard
  await unknown.selectOption('spot')
  release()
  await expect.poll(overrides).toEqual({ web_ui: 'spot', unknown: 'spot' })
  await expect.poll(() => page.getByLabel('Weekly quota, percent').inputValue()).toBe('74')
})

test('a number that is set back while its change is being saved ends as it was', async () => {
  const { call } = sharedServer()
  const { id } = await idleSession('Changes its mind')
  const precedence = async () =>
    (await call<{ session: { precedence: number } }>('GET', `/sessions/${id}`)).session.precedence
  const before = await precedence()
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  const field = page.getByRole('textbox', { name: 'Precedence' })
  await expect.poll(() => field.inputValue()).toBe(String(before))
  const release = await keepBack(page, `**/v1/sessions/${id}`)
  const answered: unknown[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'PATCH') answered.push(response.request().postDataJSON())
  })
  for (const value of ['7', String(before)]) {
    await field.fill(value)
    await field.press('Enter')
  }
  release()
  await expect.poll(() => answered).toHaveLength(2)
  expect(await precedence()).toBe(before)
  await expect.poll(() => field.inputValue()).toBe(String(before))
  expect(faults).toEqual([])
})

test('an archive that is refused after the person went on to another page is said there', async () => {
  const { id } = await makeSession('Left before it was archived')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  let refuse = (): void => undefined
  const isRefused = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route('**/v1/sessions/*/archive', async (route) => {
    await isRefused
    const [error, message] = ['Queued messages would be discarded', 'One message is queued']
    await route.fulfill({ status: 409, json: { error, message, messages: [message] } })
  })
  await Promise.all([page.waitForRequest('**/archive'), page.getByRole('button', { name: 'Archive' }).click()])
  await page.getByRole('link', { name: 'Backlog' }).click()
  await page.getByRole('heading', { name: 'Backlog' }).waitFor()
  refuse()
  await page.getByRole('status').getByText('One message is queued').waitFor()
  expect(faults).toEqual([])
})

test('a priority that someone else changed while its dialog was open is not sent back with a class', async () => {
  const { call } = sharedServer()
  const { id } = await idleSession('Ranked by two', { precedence: 2 })
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Class and precedence…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Precedence').waitFor()
  await call('PATCH', `/sessions/${id}`, { precedence: 9, scheduling_class: 'priority' })
  await dialog.getByText('As it is: priority').waitFor({ state: 'attached' })
  await dialog.getByLabel('Class').selectOption('spot')
  await dialog.getByRole('button', { name: 'Save' }).click()
  type Shown = { session: { scheduling_class: string | null; precedence: number } }
  const session = async () => (await call<Shown>('GET', `/sessions/${id}`)).session
  await expect.poll(async () => (await session()).scheduling_class).toBe('spot')
  expect((await session()).precedence).toBe(9)
  expect(faults).toEqual([])
})

test('two messages that are deleted one right after the other can both be taken back', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Two are deleted', 'sleep 600', 'running')
  for (const prompt of ['say one', 'say two', 'say three']) await call('POST', `/sessions/${id}/follow_up`, { prompt })
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const queue = page.getByRole('list', { name: 'Queue' })
  await queue.getByText('say three').waitFor()
  const remove = async (text: string) => {
    const message = queue.getByRole('listitem').filter({ hasText: text })
    await message.getByRole('button', { name: /^More for message/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  const release = await keepBack(page, '**/v1/sessions/*/enqueued_messages?*')
  await remove('say one')
  await remove('say two')
  await expect.poll(() => queueOf(id, 'pending')).toEqual(['say three'])
  release()
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo' })
  await expect.poll(() => undo.count()).toBe(2)
  await undo.first().click()
  await undo.click()
  await expect.poll(async () => (await queueOf(id, 'pending')).toSorted()).toEqual(['say one', 'say three', 'say two'])
})

test('a message that is put back in the queue is there once, even if the person leaves the page at once', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Left at once', 'sleep 600', 'running')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'sleep 601' })
  await call('POST', `/sessions/${id}/archive`, { force: true })
  await call('POST', `/sessions/${id}/unarchive`)
  await expect.poll(() => queueOf(id, 'undelivered')).toEqual(['sleep 601'])
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('The agent never got these.').waitFor()
  const release = await keepBack(page, '**/v1/sessions/*/enqueued_messages')
  await page.getByRole('button', { name: 'Put back' }).click()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('button', { name: 'Put back' }).waitFor({ state: 'detached' })
  release()
  await expect.poll(() => queueOf(id, 'undelivered')).toEqual([])
})

test('what is chosen for a session is shown before the server answers, and taken back if it refuses', async () => {
  const { id } = await makeSession('Chosen at once')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  const level = page.getByLabel('Class', { exact: true })
  const beat = page.getByRole('switch', { name: /^Heartbeat/ })
  await level.waitFor()
  let refuse = (): void => undefined
  const mayRefuse = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route('**/v1/sessions/*', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    await mayRefuse
    await route.fulfill({
      status: 503,
      json: { error: 'Service Unavailable', message: 'Not now', messages: ['Not now'] },
    })
  })
  const release = await keepBack(page, '**/v1/sessions/*/heartbeat')
  await level.selectOption('spot')
  await beat.click()
  await expect.poll(() => level.inputValue()).toBe('spot')
  await expect.poll(() => beat.getAttribute('aria-checked')).toBe('true')
  refuse()
  release()
  await page.getByRole('status').getByText('Not now').waitFor()
  await expect.poll(() => level.inputValue()).toBe('')
  await expect.poll(() => beat.getAttribute('aria-checked')).toBe('true')
})

test('a chosen setting is shown before the server answers', async () => {
  const { page } = await openSettings()
  const search = page.getByRole('switch', { name: /^Agents search for tools/ })
  const before = await search.getAttribute('aria-checked')
  const release = await keepBack(page, '**/v1/settings')
  await search.click()
  await expect.poll(() => search.getAttribute('aria-checked')).toBe(before === 'true' ? 'false' : 'true')
  release()
  await page.getByRole('status').getByText('Saved').waitFor()
})

test('a read at an interval does not take back a change of a row that is on its way', async () => {
  await idleSession('Row changed slowly')
  const { page, context, goto } = await openPage()
  await context.clock.install()
  await goto('/?q=Row+changed')
  await page.getByText('live', { exact: true }).waitFor()
  const release = await keepBack(page, '**/toggle_favorite')
  await choose(page, 'Row changed slowly', 'Make a favourite')
  const isFavourite = rowOf(page, 'Row changed slowly').getByRole('button', {
    name: 'Take Row changed slowly from the favourites',
  })
  await isFavourite.waitFor()
  const isAsked = page.waitForRequest(/\/v1\/board\?/)
  await page.clock.runFor(65_000)
  await (await isAsked).response()
  // The answer has been drawn.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  expect(await isFavourite.count()).toBe(1)
  const { id } = await idleSession('Row changed by someone else')
  release()
  await rowOf(page, 'Row changed by someone else').waitFor()
  expect(await isFavourite.count()).toBe(1)
  await sharedServer().call('DELETE', `/sessions/${id}`)
})

test('what is typed while a new session is being started stays as a draft', async () => {
  const { page, goto } = await openPage()
  await goto('/sessions/new')
  const prompt = page.getByRole('textbox', { name: 'What should the agent do?' })
  await prompt.fill('say one')
  const release = await keepBack(page, /\/v1\/sessions$/)
  const isSent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/sessions'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await isSent
  await prompt.fill('say one and two')
  release()
  await page.waitForURL(/\/sessions\/\d+/)
  await goto('/sessions/new')
  await expect.poll(() => prompt.inputValue()).toBe('say one and two')
})

test('what is typed while a change of a queued message is being saved stays in its editor', async () => {
  const { id } = await makeSession('Typed on', 'sleep 600', 'running')
  await sharedServer().call('POST', `/sessions/${id}/follow_up`, { prompt: 'say one' })
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const queue = page.getByRole('list', { name: 'Queue' })
  await queue.getByRole('button', { name: 'Edit' }).click()
  const editor = queue.getByRole('textbox', { name: 'Text of the message' })
  await editor.fill('say two')
  const release = await keepBack(page, '**/v1/sessions/*/enqueued_messages/*')
  await queue.getByRole('button', { name: 'Save' }).click()
  await editor.fill('say two and three')
  release()
  await expect.poll(() => queueOf(id, 'pending')).toEqual(['say two'])
  expect(await editor.inputValue()).toBe('say two and three')
})

/** Keeps requests to this address waiting, and refuses them when the returned function is called. */
async function keepToRefuse(page: Page, address: string, sentence: string): Promise<() => void> {
  let refuse = (): void => undefined
  const isRefused = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route(address, async (route) => {
    await isRefused
    await route.fulfill({ status: 422, json: { error: sentence, message: sentence, messages: [sentence] } })
  })
  return refuse
}

test('a message that is refused after the person went on to another page is said there, and stays a draft', async () => {
  const { id } = await makeSession('Left before it was refused')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const refuse = await keepToRefuse(page, '**/follow_up', 'The message is too long')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('say too much')
  await Promise.all([page.waitForRequest('**/follow_up'), field.press('Enter')])
  await page.getByRole('link', { name: 'Backlog' }).click()
  await page.getByRole('heading', { name: 'Backlog' }).waitFor()
  refuse()
  await page.getByRole('status').getByText('The message is too long').waitFor()
  await goto(`/sessions/${id}`)
  await expect.poll(() => field.inputValue()).toBe('say too much')
  expect(faults).toEqual([])
})

test('a session that is started after the person went on is said there, and does not take them away', async () => {
  const { page, goto, faults } = await openPage()
  await goto('/sessions/new')
  await page.getByLabel('What should the agent do?').fill('say Started late')
  const release = await keepBack(page, '**/v1/sessions')
  await Promise.all([
    page.waitForRequest('**/v1/sessions'),
    page.getByRole('button', { name: 'Start', exact: true }).click(),
  ])
  await page.getByRole('link', { name: 'Backlog' }).click()
  await page.getByRole('heading', { name: 'Backlog' }).waitFor()
  release()
  const said = page.getByRole('status').filter({ hasText: 'Started “say Started late”' })
  await said.waitFor()
  expect(new URL(page.url()).pathname).toBe('/backlog')
  await said.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('Started late', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('what refused to be archived with others is said on the page that the person went on to', async () => {
  const titles = ['Many one', 'Many two']
  for (const title of titles) await idleSession(title)
  const { page, goto, faults } = await openPage()
  await goto('/?q=Many')
  const refuse = await keepToRefuse(page, '**/archive', 'One message is queued')
  for (const title of titles) await rowOf(page, title).waitFor()
  await page.getByRole('link', { name: 'Many one', exact: true }).hover()
  for (const title of titles) await tick(page, title)
  const bar = page.getByRole('region', { name: 'Selected sessions' })
  await Promise.all([page.waitForRequest('**/archive'), bar.getByRole('button', { name: 'Archive' }).click()])
  await page.getByRole('link', { name: 'Backlog' }).click()
  await page.getByRole('heading', { name: 'Backlog' }).waitFor()
  refuse()
  await page.getByRole('status').getByText('One message is queued').first().waitFor()
  expect(faults).toEqual([])
})

test('a form that is sent twice before the page is drawn again is sent once', async () => {
  const { id } = await makeSession('Pressed twice', 'sleep 600', 'running')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('textbox', { name: 'Message' }).fill('say Once')
  const send = page.getByRole('button', { name: 'Queue' })
  await expect.poll(() => send.isEnabled()).toBe(true)
  await page.getByRole('form', { name: 'Message to the agent' }).evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await page.getByText('Queued as 1st').waitFor()
  expect(await queueOf(id, 'pending')).toEqual(['say Once'])
  expect(faults).toEqual([])
})
