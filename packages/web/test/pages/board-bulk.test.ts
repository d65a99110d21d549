import { expect, test } from 'vitest'
import { choose, idleSession, keepLeavingRows, rowOf, tick } from '../support/board.ts'
import { type OpenPage, openPage, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

type Shown = {
  session: {
    status: string
    scheduling_class: string | null
    precedence: number
    category: { name: string } | null
    visibility: string
    metadata: { paused_by_user?: boolean }
  }
}

async function show(id: number): Promise<Shown['session']> {
  return (await sharedServer().call<Shown>('GET', `/sessions/${id}`)).session
}

async function turnsOf(id: number): Promise<number> {
  return (await sharedServer().call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns.length
}

/** Selects the rows of these titles, and answers the bar of what can be done to them. */
async function select({ page }: OpenPage, titles: readonly string[]) {
  for (const [index, title] of titles.entries()) {
    if (index === 0) await page.getByRole('link', { name: title, exact: true }).hover()
    await tick(page, title)
  }
  const bar = page.getByRole('region', { name: 'Selected sessions' })
  await bar.getByText(`${titles.length} selected`).waitFor()
  return bar
}

test('selected sessions are moved, given a class, started again and snoozed together', async () => {
  const { call } = sharedServer()
  const titles = ['Bulk left', 'Bulk right']
  const ids: number[] = []
  for (const title of titles) ids.push((await makeSession(title)).id)
  await call('POST', '/categories', { name: 'Moved together' })
  const opened = await openPage()
  const { page, goto, faults } = opened
  await goto('/?q=Bulk')
  const all = async <Value>(read: (id: number) => Promise<Value>) => Promise.all(ids.map(read))

  await (await select(opened, titles)).getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Moved together' }).click()
  await expect
    .poll(() => all(async (id) => (await show(id)).category?.name))
    .toEqual(['Moved together', 'Moved together'])

  await (await select(opened, titles)).getByRole('button', { name: 'Priority' }).click()
  await page.getByRole('dialog').getByLabel('Class').selectOption('priority')
  await page.getByRole('dialog').getByLabel('Precedence').fill('7')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => all(async (id) => [(await show(id)).scheduling_class, (await show(id)).precedence]))
    .toEqual([
      ['priority', 7],
      ['priority', 7],
    ])

  await (await select(opened, titles)).getByRole('button', { name: 'Restart' }).click()
  await expect.poll(() => all(turnsOf)).toEqual([2, 2])

  await (await select(opened, titles)).getByRole('button', { name: 'Snooze' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Snooze', exact: true }).click()
  await expect.poll(() => all(async (id) => (await show(id)).visibility)).toEqual(['snoozed', 'snoozed'])
  expect(faults).toEqual([])
})

test('the dialog of priorities changes only what was chosen, and can give the class back to the default', async () => {
  const titles = ['Rank of two', 'Rank of nine']
  const [two, nine] = [
    await idleSession('Rank of two', { precedence: 2 }),
    await idleSession('Rank of nine', { precedence: 9 }),
  ]
  const ranks = () =>
    Promise.all(
      [two, nine].map(async ({ id }) => {
        const { scheduling_class, precedence } = await show(id)
        return [scheduling_class, precedence]
      }),
    )
  const opened = await openPage()
  const { page, goto, faults } = opened
  await goto('/?q=Rank')
  const dialog = page.getByRole('dialog')
  const save = async () => {
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  await choose(page, 'Rank of two', 'Class and precedence')
  expect(await dialog.getByLabel('Class').locator('option:checked').textContent()).toBe('As it is: spot')
  await screenshot(page, 'board-priority')
  await dialog.getByLabel('Precedence').fill('3')
  await save()
  await expect.poll(ranks).toEqual([
    [null, 3],
    [null, 9],
  ])

  await (await select(opened, titles)).getByRole('button', { name: 'Priority' }).click()
  expect(await dialog.getByLabel('Precedence').inputValue()).toBe('')
  await dialog.getByLabel('Class').selectOption('spot')
  await save()
  await expect.poll(ranks).toEqual([
    ['spot', 3],
    ['spot', 9],
  ])

  await (await select(opened, titles)).getByRole('button', { name: 'Priority' }).click()
  await dialog.getByLabel('Class').selectOption('default')
  await save()
  await expect.poll(ranks).toEqual([
    [null, 3],
    [null, 9],
  ])
  expect(faults).toEqual([])
})

test('the bar offers what fits the selected rows: archived ones are only brought back, and a deed passes over those it does not fit', async () => {
  const archived = await idleSession('Fits archived')
  const active = await idleSession('Fits active')
  await sharedServer().call('POST', `/sessions/${archived.id}/archive`)
  const opened = await openPage()
  const { page, goto, faults } = opened
  await goto('/?q=Fits&archived=true')
  const bar = await select(opened, ['Fits archived'])
  const offered = () => bar.getByRole('button').allTextContents()
  expect(await offered()).toEqual(['Unarchive', 'Clear'])
  await page.getByRole('checkbox', { name: 'Select Fits active' }).click()
  await bar.getByText('2 selected').waitFor()
  // It does not run, so that it cannot be paused.
  const ofActive = ['Archive', 'Move', 'Snooze', 'Hide', 'Restart', 'Priority']
  expect(await offered()).toEqual(['Unarchive', ...ofActive, 'Clear'])
  await screenshot(page, 'board-bulk-archived')
  await bar.getByRole('button', { name: 'Hide' }).click()
  await expect.poll(async () => (await show(active.id)).visibility).toBe('hidden')
  expect((await show(archived.id)).visibility).toBe('visible')
  await (await select(opened, ['Fits archived'])).getByRole('button', { name: 'Unarchive' }).click()
  await expect.poll(async () => (await show(archived.id)).status).not.toBe('archived')
  expect(faults).toEqual([])
})

test('one undo takes back the archive of every selected session', async () => {
  const titles = ['Undone left', 'Undone right']
  const ids: number[] = []
  for (const title of titles) ids.push((await makeSession(title)).id)
  const opened = await openPage()
  const { page, goto, faults } = opened
  await keepLeavingRows(opened)
  await goto('/?q=Undone')
  const statuses = () => Promise.all(ids.map(async (id) => (await show(id)).status))
  await (await select(opened, titles)).getByRole('button', { name: 'Archive' }).click()
  const offer = page.getByRole('status').filter({ hasText: 'Archived 2 sessions' })
  await offer.waitFor()
  expect(await statuses()).toEqual(['archived', 'archived'])
  await offer.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(statuses).toEqual(['needs_input', 'needs_input'])
  for (const title of titles) {
    await rowOf(page, title).waitFor()
    await expect.poll(() => rowOf(page, title).getByText('archived', { exact: true }).count()).toBe(0)
  }
  expect(faults).toEqual([])
})

test('selected sessions that run are paused together', async () => {
  const titles = ['Pause left', 'Pause right']
  const ids: number[] = []
  for (const title of titles) ids.push((await makeSession(title, 'run sleep 900', 'running')).id)
  const opened = await openPage()
  await opened.goto('/?q=Pause')
  await (await select(opened, titles)).getByRole('button', { name: 'Pause' }).click()
  await expect
    .poll(async () => Promise.all(ids.map(async (id) => (await show(id)).status)))
    .toEqual(['needs_input', 'needs_input'])
})

test('the chips of the board show the sessions that they name', async () => {
  const { call } = sharedServer()
  const made = {
    Running: await makeSession('Chip runs', 'run sleep 900', 'running'),
    Failed: await makeSession('Chip failed', 'fail the disk is full'),
    'At rest': await makeSession('Chip rests'),
    Favourites: await makeSession('Chip is liked'),
  }
  await call('POST', `/sessions/${made.Favourites.id}/toggle_favorite`)
  const titles: Record<string, readonly string[]> = {
    Running: ['Chip runs'],
    Failed: ['Chip failed'],
    'At rest': ['Chip is liked', 'Chip rests'],
    Favourites: ['Chip is liked'],
    All: ['Chip failed', 'Chip is liked', 'Chip rests', 'Chip runs'],
  }
  const { page, goto, faults } = await openPage()
  await goto('/?q=Chip')
  const chips = page.getByRole('navigation', { name: 'Quick filters' })
  const shown = async () => (await page.getByRole('link', { name: /^Chip / }).allTextContents()).toSorted()
  for (const [chip, expected] of Object.entries(titles)) {
    await chips.getByRole('link', { name: new RegExp(`^${chip}`) }).click()
    await expect.poll(shown).toEqual(expected)
  }
  expect(faults).toEqual([])
})
