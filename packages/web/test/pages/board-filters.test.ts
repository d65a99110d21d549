import { expect, onTestFinished, test } from 'vitest'
import { choose, idleSession, rowOf, titlesShown } from '../support/board.ts'
import { axe, keepBack, openPage, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

serverOfFile()

test('the filters of the dialog show the sessions of a root, a runtime, a class, or off the board', async () => {
  const { call } = sharedServer()
  await idleSession('Sort plain')
  await idleSession('Sort by root', { agent_root: 'orchestrator' })
  await idleSession('Sort by runtime', { agent_runtime: 'runtime_beta' })
  await idleSession('Sort by class', { scheduling_class: 'priority' })
  const hidden = await idleSession('Sort hidden')
  await call('PATCH', `/sessions/${hidden.id}/visibility`, { visibility: 'hidden' })
  const { page, goto, faults } = await openPage()
  // A row that leaves the list would stay for ten seconds; a row that another filter leaves out does not.
  await page.clock.setFixedTime(new Date())
  await goto('/?q=Sort')
  const onBoard = ['Sort by class', 'Sort by root', 'Sort by runtime', 'Sort plain']
  const shown = async () => (await titlesShown(page, 'Sort')).toSorted()
  await expect.poll(shown).toEqual(onBoard)
  await page.getByRole('button', { name: 'Filters' }).click()
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  const filters: [label: string, value: string, expected: string[]][] = [
    ['Root', 'orchestrator', ['Sort by root']],
    ['Runtime', 'runtime_beta', ['Sort by runtime']],
    ['Class', 'priority', ['Sort by class']],
    ['On the board', 'off_board', ['Sort hidden']],
    ['On the board', 'all', [...onBoard, 'Sort hidden'].toSorted()],
  ]
  for (const [label, value, expected] of filters) {
    const select = dialog.getByLabel(label, { exact: true })
    await select.selectOption(value)
    await expect.poll(shown).toEqual(expected)
    await select.selectOption('')
    await expect.poll(shown).toEqual(onBoard)
  }
  expect(await axe(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a view under a name is opened and deleted in the dialog of the filters', async () => {
  await idleSession('Kept view', { scheduling_class: 'priority' })
  const { page, goto, faults } = await openPage()
  await goto('/?q=Kept+view&class=priority')
  await page.getByRole('button', { name: 'Filters' }).click()
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await dialog.getByLabel('Save this view as').fill('Kept priority')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByLabel('Class').selectOption('spot')
  await page.waitForURL(/class=spot/)
  await dialog.getByRole('button', { name: 'Kept priority', exact: true }).click()
  await page.waitForURL(/class=priority/)
  await dialog.getByRole('button', { name: 'Delete the view Kept priority' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const chip = page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Kept priority' })
  await chip.waitFor({ state: 'detached' })
  await page.reload()
  await rowOf(page, 'Kept view').waitFor()
  expect(await chip.count()).toBe(0)
  expect(faults).toEqual([])
})

test('the chips Needs me and Waiting show the sessions that they name', async () => {
  const { call } = sharedServer()
  await call('PATCH', '/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  onTestFinished(async () => void (await call('PATCH', '/settings', { spot_gating_enabled: false })))
  const asking = await makeSession('Chip asks', 'run sleep 900', 'running')
  await ask(asking.id, 'Shall I?')
  const { session: waiting } = await call<{ session: { id: number } }>('POST', '/sessions', {
    ...{ title: 'Chip waits', prompt: 'say hello', agent_root: 'sample', scheduling_class: 'spot' },
  })
  const statusOf = async (id: number) =>
    (await call<{ session: { status: string } }>('GET', `/sessions/${id}`)).session.status
  expect(await statusOf(waiting.id)).toBe('waiting')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Chip')
  const chips = page.getByRole('navigation', { name: 'Quick filters' })
  const shown = async () => (await titlesShown(page, 'Chip')).toSorted()
  await expect.poll(shown).toEqual(['Chip asks', 'Chip waits'])
  await chips.getByRole('link', { name: /^Needs me/ }).click()
  await expect.poll(shown).toEqual(['Chip asks'])
  await chips.getByRole('link', { name: /^Waiting/ }).click()
  await expect.poll(shown).toEqual(['Chip waits'])
  expect(faults).toEqual([])
})

test('the rows of one filter say nothing of where they went while another filter is read', async () => {
  await idleSession('Unread chip')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Unread+chip')
  const row = rowOf(page, 'Unread chip')
  await row.waitFor()
  const answer = await keepBack(page, '**/v1/board?*status=failed*')
  await page
    .getByRole('navigation', { name: 'Quick filters' })
    .getByRole('link', { name: /^Failed/ })
    .click()
  await page.waitForURL(/status=failed/)
  await page
    .getByRole('link', { name: /^Failed/ })
    .and(page.locator('[aria-current]'))
    .waitFor()
  expect(await row.count()).toBe(1)
  expect(await row.and(page.locator('[data-leaving]')).count()).toBe(0)
  answer()
  await row.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a further page of a section that cannot be read says so, and the next press reads the same page again', async () => {
  for (const title of ['Deep four', 'Deep three', 'Deep two', 'Deep one']) await idleSession(title)
  const { page, goto } = await openPage()
  let isDown = true
  await page.route('**/v1/board?*', (route) => {
    const url = route.request().url().replace('per_section=1000', 'per_section=2')
    if (isDown && url.includes('section=all')) return route.fulfill({ status: 500, json: { error: 'x', messages: [] } })
    return route.continue({ url })
  })
  await goto('/?q=Deep&view=created')
  await page.getByRole('button', { name: 'Show the next 2' }).click()
  await page.getByText('The next could not be read.').waitFor()
  isDown = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => titlesShown(page, 'Deep')).toEqual(['Deep one', 'Deep two', 'Deep three', 'Deep four'])
})

test('a section that is longer than one read says how many of its sessions are shown, and shows the rest', async () => {
  const { call } = sharedServer()
  for (const title of ['Long five', 'Long four', 'Long three', 'Long two', 'Long one']) await idleSession(title)
  const all = ['Long one', 'Long two', 'Long three', 'Long four', 'Long five']
  const { page, goto, faults } = await openPage()
  // The page asks for a thousand cards of a section.
  await page.route('**/v1/board?*', (route) =>
    route.continue({ url: route.request().url().replace('per_section=1000', 'per_section=2') }),
  )
  const shown = () => titlesShown(page, 'Long')
  await goto('/?q=Long&view=created')
  await page.getByText('2 of 5 are shown').waitFor()
  expect(await shown()).toEqual(all.slice(0, 2))
  await screenshot(page, 'board-long-section')
  await page.getByRole('button', { name: 'Show the next 3' }).click()
  await page.getByText('4 of 5 are shown').waitFor()
  expect(await shown()).toEqual(all.slice(0, 4))
  await page.getByRole('button', { name: 'Show the next 1' }).click()
  await expect.poll(shown).toEqual(all)
  await page.getByText('are shown').waitFor({ state: 'detached' })
  expect(await axe(page)).toEqual([])
  // What was loaded later changes with the rest of the board.
  const found = await call<{ sessions: { id: number }[] }>('GET', '/sessions/search?q=Long+five')
  await call('PATCH', `/sessions/${found.sessions[0]?.id}`, { title: 'Long last' })
  await rowOf(page, 'Long last').waitFor()
  // Another filter begins with the first page, and this one comes back whole.
  await page.getByRole('searchbox').fill('Long t')
  await expect.poll(shown).toEqual(['Long two', 'Long three'])
  await page.getByRole('searchbox').fill('Long')
  await expect.poll(shown).toEqual(all.with(4, 'Long last'))
  expect(faults).toEqual([])
})

test('a session that runs is paused from its row, and one that is archived is brought back', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Row to pause', 'run sleep 900', 'running')
  type Shown = { session: { status: string; metadata: { paused_by?: string } } }
  const read = async () => (await call<Shown>('GET', `/sessions/${id}`)).session
  const { page, goto, faults } = await openPage()
  await goto('/?q=Row+to&archived=true')
  await rowOf(page, 'Row to pause').getByText('Running').waitFor()
  await choose(page, 'Row to pause', 'Pause')
  await page.getByRole('status').getByText('Paused “Row to pause”').waitFor()
  await rowOf(page, 'Row to pause').getByText('Paused by a person').waitFor({ state: 'attached' })
  expect((await read()).metadata.paused_by).toBe('user')
  await call('POST', `/sessions/${id}/archive`)
  await rowOf(page, 'Row to pause').getByText('Archived').waitFor()
  await choose(page, 'Row to pause', 'Unarchive')
  await page.getByRole('status').getByText('Restored “Row to pause”').waitFor()
  expect((await read()).status).toBe('needs_input')
  await rowOf(page, 'Row to pause').getByText('Archived').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the dialog of the filters names a root and a runtime that are filtered by though the server has them no longer', async () => {
  const { page, goto, faults } = await openPage()
  await goto('/?root=left-root&runtime=left-runtime')
  await page.getByText('No session matches these filters').waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await dialog.getByLabel('Root').locator('option', { hasText: 'orchestrator' }).waitFor({ state: 'attached' })
  expect(await dialog.getByLabel('Root').inputValue()).toBe('left-root')
  expect(await dialog.getByLabel('Runtime').inputValue()).toBe('left-runtime')
  await dialog.getByLabel('Root').selectOption('Every root')
  await page.waitForURL((url) => !url.searchParams.has('root'))
  expect(faults).toEqual([])
})
