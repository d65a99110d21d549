import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

type Session = {
  session_id: string
  status: string
  heartbeat_enabled: boolean
  heartbeat_interval_seconds: number
  is_autonomous: boolean
  scheduling_class: string | null
  category_id: number | null
  precedence: number
  auto_compact_window: number
  favorited: boolean
  catalog_hooks: string[]
  catalog_plugins: string[]
  mcp_servers: string[]
}

async function read(id: number): Promise<Session> {
  return (await sharedServer().call<{ session: Session }>('GET', `/sessions/${id}`)).session
}

async function chooseInHeader(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('the heartbeat is turned on, which its row shows, gets another interval, and is turned off', async () => {
  const { id } = await makeSession('Is nudged')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  const beat = page.getByRole('switch', { name: /^Heartbeat/ })
  const interval = page.getByRole('textbox', { name: 'Seconds between nudges' })
  await beat.waitFor()
  expect(await interval.count()).toBe(0)
  await beat.click()
  await interval.fill('7200')
  await interval.press('Enter')
  await page.getByText('Nudges the agent to go on while it rests, every 2 h').waitFor()
  await expect.poll(() => read(id)).toMatchObject({ heartbeat_enabled: true, heartbeat_interval_seconds: 7_200 })
  const board = await openPage()
  await board.goto(`/?q=${id}`)
  await board.page.getByText('Nudged while it rests').waitFor({ state: 'attached' })
  await interval.fill('1')
  await interval.press('Enter')
  await page.getByRole('status').getByText('Heartbeat interval seconds must be').waitFor()
  // The refused number stays in its field, to be corrected there.
  expect(await interval.inputValue()).toBe('1')
  await screenshot(page, 'session-heartbeat')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await beat.click()
  await interval.waitFor({ state: 'detached' })
  await expect.poll(() => read(id)).toMatchObject({ heartbeat_enabled: false, heartbeat_interval_seconds: 7_200 })
  expect(faults).toEqual([])
})

test('a session is told to fire event triggers, pushes are turned off and on, and the class and the category are taken back', async () => {
  const { call } = sharedServer()
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name: `Left ${Date.now()}` })
  const { id } = await makeSession('Has every switch')
  await call('PATCH', `/sessions/${id}`, { scheduling_class: 'spot' })
  await call('PATCH', `/sessions/${id}/set_category`, { category_id: category.id })
  const before = await read(id)
  expect(before).toMatchObject({ scheduling_class: 'spot', category_id: category.id })
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto(`/sessions/${id}?tab=info`)
  const fires = page.getByRole('switch', { name: 'Fires event triggers' })
  await fires.click()
  await expect.poll(async () => (await read(id)).is_autonomous).toBe(!before.is_autonomous)
  await expect.poll(() => fires.isChecked()).toBe(!before.is_autonomous)
  await fires.click()
  await expect.poll(async () => (await read(id)).is_autonomous).toBe(before.is_autonomous)

  const pushes = page.getByRole('switch', { name: /^Push to devices/ })
  const arePushed = async () =>
    (await call<{ push_notifications_enabled: boolean }>('GET', `/sessions/${id}/push_notifications`))
      .push_notifications_enabled
  for (const isOn of [false, true]) {
    await pushes.click()
    await expect.poll(arePushed).toBe(isOn)
    await expect.poll(() => pushes.isChecked()).toBe(isOn)
  }

  await page.getByRole('combobox', { name: 'Class' }).selectOption('')
  await expect.poll(async () => (await read(id)).scheduling_class).toBeNull()
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Uncategorized')
  await expect.poll(async () => (await read(id)).category_id).toBeNull()
  const precedence = page.getByRole('textbox', { name: 'Precedence' })
  await precedence.fill('soon')
  await precedence.press('Enter')
  await page
    .getByRole('status')
    .getByText(/precedence/i)
    .waitFor()
  expect(await precedence.inputValue()).toBe('soon')
  expect((await read(id)).precedence).toBe(before.precedence)
  await screenshot(page, 'session-settings-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a compaction window that is no number is refused and stays in its field, and the old one holds until it is corrected', async () => {
  const { session } = await sharedServer().call<{ session: { id: number } }>('POST', '/sessions', {
    ...{ title: 'Compacts early', agent_root: 'sample', agent_runtime: 'runtime_beta', auto_compact_window: 50_000 },
  })
  const stored = async () => (await read(session.id)).auto_compact_window
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${session.id}?tab=info`)
  const tokens = page.getByRole('textbox', { name: 'Compaction window' })
  for (const typed of ['200,000', 'Infinity']) {
    await tokens.fill(typed)
    const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await tokens.press('Enter')
    expect((await answer).status()).toBe(422)
    expect(await tokens.inputValue()).toBe(typed)
    expect(await stored()).toBe(50_000)
  }
  await page
    .getByRole('status')
    .getByText(/^Auto compact window/)
    .first()
    .waitFor()
  await tokens.fill('200000')
  await tokens.press('Enter')
  await expect.poll(stored).toBe(200_000)
  await tokens.fill('')
  await tokens.press('Enter')
  await expect.poll(stored).toBe(1_000_000)
  expect(faults).toEqual([])
})

test('the hooks, the plugins and the servers of a session are changed, and the page shows what it is given now', async () => {
  const { id } = await makeSession('Gets other lists')
  expect(await read(id)).toMatchObject({ catalog_hooks: [], catalog_plugins: ['first-steps'], mcp_servers: [] })
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=info`)
  const given = page.getByRole('region', { name: 'What it is given' })
  for (const { list, title, name, isGiven } of [
    { list: 'Hooks', title: 'Remind to commit', name: 'remind', isGiven: true },
    { list: 'Plugins', title: 'First steps', name: 'first-steps', isGiven: false },
    { list: 'MCP servers', title: 'Clock', name: 'yard-clock', isGiven: true },
  ]) {
    await page.getByRole('button', { name: `Change the ${list}` }).click()
    const dialog = page.getByRole('dialog', { name: list })
    await dialog.getByRole('checkbox', { name: title, exact: true }).setChecked(isGiven)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await given.getByText(name, { exact: true }).waitFor({ state: isGiven ? 'visible' : 'detached' })
  }
  expect(await read(id)).toMatchObject({
    catalog_hooks: ['remind'],
    catalog_plugins: [],
    mcp_servers: ['yard-clock'],
  })
  // A change that is called off changes nothing.
  await page.getByRole('button', { name: 'Change the Hooks' }).click()
  const dialog = page.getByRole('dialog', { name: 'Hooks' })
  await dialog.getByRole('checkbox', { name: 'Remind to commit', exact: true }).uncheck()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await read(id)).toMatchObject({ catalog_hooks: ['remind'] })
  expect(faults).toEqual([])
})

test('the transcript is read from disk again, and what the file has more than the page appears', async () => {
  const { home, call } = sharedServer()
  const { id } = await makeSession('Has a longer file')
  const { session_id } = await read(id)
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).first().waitFor()
  const line = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Only on disk' }] } }
  const file = join(home, 'runtimes', `session-${id}`, 'transcripts', `${session_id}.jsonl`)
  await appendFile(file, `${JSON.stringify(line)}\n`)
  await chooseInHeader(page, 'Read the transcript from disk again')
  await page.getByText(/^Transcript refreshed \(\d+ messages\)$/).waitFor()
  await page.getByRole('article', { name: 'Agent' }).getByText('Only on disk').waitFor()
  const { entries } = await call<{ entries: unknown[] }>('GET', `/sessions/${id}/entries`)
  expect(JSON.stringify(entries)).toContain('Only on disk')
  expect(faults).toEqual([])
})

test('a session that never ran says why its transcript cannot be read from disk', async () => {
  const { session } = await sharedServer().call<{ session: { id: number } }>('POST', '/sessions', {
    title: 'Never ran',
    agent_root: 'sample',
  })
  const { page, goto } = await openPage()
  await goto(`/sessions/${session.id}`)
  await chooseInHeader(page, 'Read the transcript from disk again')
  await page.getByText('Session has no clone path').waitFor()
})

test('a summary that was asked for appears by itself, and says how old it is after more was said', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Is summed up twice', 'say The lease is renewed')
  type Shown = { status_summary: { summary: string | null } | null }
  const summary = async () => (await call<Shown>('GET', `/sessions/${id}`)).status_summary?.summary ?? ''
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('no summary yet').waitFor()
  await page.getByRole('button', { name: 'Write a new summary' }).click()
  await expect.poll(summary).not.toBe('')
  const first = await summary()
  await page.getByRole('button', { name: first }).waitFor()
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say The lock is gone' })
  await page.getByText(/^\d+ entries ago$/).waitFor()
  await page.getByRole('article', { name: 'Agent' }).getByText('The lock is gone').waitFor()
  await expect.poll(async () => (await read(id)).status).toBe('needs_input')
  await page.getByRole('button', { name: 'Write a new summary' }).click()
  await expect.poll(summary).not.toBe(first)
  await page.getByRole('button', { name: await summary() }).waitFor()
  await page.getByText(/^\d+ entries ago$/).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the log is read page by page, and another level begins with its first page; both are in the address', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Has a long log')
  for (let line = 1; line <= 60; line += 1)
    await call('POST', `/sessions/${id}/logs`, { level: 'debug', content: `Debug line ${line}.` })
  await call('POST', `/sessions/${id}/logs`, { level: 'warning', content: 'The disk is nearly full' })
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}?tab=logs`)
  const later = page.getByRole('button', { name: 'Later' })
  const earlier = page.getByRole('button', { name: 'Earlier' })
  await page.getByText('Debug line 60.').waitFor()
  await page.getByText('1 of 2', { exact: true }).waitFor()
  expect(await later.isDisabled()).toBe(true)
  await earlier.click()
  await page.getByText('Debug line 1.').waitFor()
  expect(await page.getByText('Debug line 60.').count()).toBe(0)
  expect(await earlier.isDisabled()).toBe(true)
  await page.reload()
  await page.getByText('2 of 2', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Notes' }).click()
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByText('Debug line 1.').waitFor()
  await page.getByLabel('Level').selectOption('warning')
  await page.getByText('The disk is nearly full').waitFor()
  await page.getByText('Debug line 1.').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('The disk is nearly full').waitFor()
  expect(await page.getByLabel('Level').inputValue()).toBe('warning')
  await page.getByText('Debug line 1.').waitFor({ state: 'detached' })
  await page.getByLabel('Level').selectOption('All levels')
  await page.getByText('1 of 2', { exact: true }).waitFor()
  await earlier.click()
  await page.getByText('Debug line 1.').waitFor()
  await later.click()
  await page.getByText('Debug line 60.').waitFor()
  await screenshot(page, 'session-log-pages')
  expect(await axe(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a favourite is taken back in the header, and a sleeping session is woken from the menu', async () => {
  const { id } = await makeSession('Sleeps a little')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Make it a favourite' }).click()
  await expect.poll(async () => (await read(id)).favorited).toBe(true)
  await page.getByRole('button', { name: 'Favourite', exact: true }).click()
  await page.getByRole('button', { name: 'Make it a favourite' }).waitFor()
  await expect.poll(async () => (await read(id)).favorited).toBe(false)
  await chooseInHeader(page, 'Sleep')
  await page.getByText('Fell asleep').waitFor()
  expect((await read(id)).status).toBe('waiting')
  await chooseInHeader(page, 'Wake')
  await page.getByText('Fell asleep').waitFor({ state: 'detached' })
  await expect.poll(async () => (await read(id)).status).not.toBe('waiting')
  expect(faults).toEqual([])
})

test('a session that works, or asks, is told to sleep when its turn ends, and does', async () => {
  const { id } = await makeSession('Sleeps after work', 'ask Done?', 'running')
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByLabel('Answer').waitFor()
  await chooseInHeader(page, 'Sleep when the turn ends')
  await page.getByRole('status').getByText('Sleeps when the turn ends', { exact: true }).waitFor()
  await page.getByText('Sleeps when this turn ends.').waitFor()
  await page.getByLabel('Answer').fill('Yes')
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Fell asleep').waitFor()
  expect((await read(id)).status).toBe('waiting')
  expect(faults).toEqual([])
})
