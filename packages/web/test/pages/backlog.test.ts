import { beforeAll, describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'

type Item = { id: number; title: string; position: number | null; pinned: boolean; started_session_id: number | null }

const repo = 'acme/yard'
const address = `/backlog?repo=${encodeURIComponent(repo)}`

async function append(title: string, changes: object = {}): Promise<Item> {
  const { call } = sharedServer()
  const { work_backlog_item } = await call<{ work_backlog_item: Item }>('POST', '/work_backlog_items', {
    key: `manual-${title.toLowerCase().replaceAll(' ', '-')}`,
    title,
    repo,
    surface: 'uploads',
    kind: 'bug',
    scope_direction: 'convergent',
    estimated_cost: 'small',
    prompt: 'say done',
    ...changes,
  })
  return work_backlog_item
}

async function queued(): Promise<string[]> {
  const { call } = sharedServer()
  const { work_backlog_items } = await call<{ work_backlog_items: Item[] }>(
    'GET',
    `/work_backlog_items?per_page=100&repo=${encodeURIComponent(repo)}`,
  )
  return work_backlog_items.map(({ title }) => title)
}

beforeAll(async () => {
  await append('Retry the upload')
  await append('Name the failed file')
  await append('Draw the progress')
  await append('Split the worker', { estimated_cost: 'medium' })
  await append('Rewrite the store', { estimated_cost: 'large', surface: 'store' })
})

test('moves an item by drag, by Alt and an arrow key, and from its menu, and takes a move back', async () => {
  const { page, faults, goto } = await openPage()
  await goto(address)
  const rows = page.getByRole('list', { name: 'Queued work, first to last' }).locator('[data-item]')
  const shown = () => rows.evaluateAll((all) => all.map((row) => row.querySelector('button')?.textContent ?? ''))
  const row = (title: string) => rows.filter({ hasText: title })
  const first = await queued()
  await expect.poll(shown).toEqual(first)

  await row('Draw the progress')
    .locator('.cursor-grab')
    .dragTo(row('Retry the upload'), { targetPosition: { x: 200, y: 3 } })
  await page.getByText(/Pinned at position \d+/).waitFor()
  const dragged = [
    'Draw the progress',
    'Retry the upload',
    'Name the failed file',
    'Split the worker',
    'Rewrite the store',
  ]
  await expect.poll(queued).toEqual(dragged)
  await expect.poll(shown).toEqual(dragged)
  await row('Draw the progress').getByText('pinned').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(queued).toEqual(first)
  await expect.poll(shown).toEqual(first)

  await row('Name the failed file').getByRole('button', { name: 'Name the failed file', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(queued).toEqual([first[1], first[0], ...first.slice(2)])

  await row('Retry the upload').getByRole('button', { name: 'Actions of Retry the upload' }).click()
  await page.getByRole('menuitem', { name: 'Move up' }).click()
  await expect.poll(queued).toEqual(first)
  await expect.poll(shown).toEqual(first)

  await row('Split the worker').getByRole('button', { name: 'Actions of Split the worker' }).click()
  await page.getByRole('menuitem', { name: 'Pin at a rank' }).click()
  await page.getByLabel('Rank', { exact: true }).fill('7500')
  await page.getByRole('button', { name: 'Pin it' }).click()
  await page.getByText('Above the bands').waitFor()
  await expect.poll(async () => (await queued())[0]).toBe('Split the worker')
  await row('Split the worker').getByRole('button', { name: 'Actions of Split the worker' }).click()
  await page.getByRole('menuitem', { name: 'Unpin' }).click()
  await page.getByText('Ranked by its medium cost again').waitFor()
  await expect.poll(async () => (await queued()).indexOf('Split the worker')).toBe(3)
  expect(faults).toEqual([])
})

test('adds work, starts an item now, removes one with a reason, pulls from the top, and shows the history', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  await goto('/backlog')
  await page.getByRole('button', { name: 'Add work' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add work' })
  await dialog.getByLabel('What is to be done').fill('Count the retries')
  await dialog.getByLabel('Repository').fill('acme/other')
  await dialog.getByLabel('Surface').fill('uploads')
  await dialog.getByRole('button', { name: 'Queue it' }).click()
  await dialog
    .getByText(/without an issue/i)
    .first()
    .waitFor()
  await dialog.getByLabel('Prompt').fill('say counted')
  await dialog.getByRole('button', { name: 'Queue it' }).click()
  await page.getByText(/Queued at position \d+/).waitFor()
  const item = page.locator('[data-item]').filter({ hasText: 'Count the retries' })
  await item.getByRole('button', { name: 'Actions of Count the retries' }).click()
  await page.getByRole('menuitem', { name: 'Start now' }).click()
  await page.getByText(/Started as session \d+/).waitFor()
  await item.waitFor({ state: 'detached' })

  await append('Drop the old queue', { repo: 'acme/other' })
  const old = page.locator('[data-item]').filter({ hasText: 'Drop the old queue' })
  await old.getByRole('button', { name: 'Actions of Drop the old queue' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByLabel('Reason').fill('superseded')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await old.waitFor({ state: 'detached' })

  await append('First of all', { repo: 'acme/other', pinned: true, precedence: 2_000_000_000 })
  await page.getByText('First of all').waitFor()
  await page.getByRole('button', { name: 'Pull', exact: true }).click()
  await page.getByLabel('How many').fill('1')
  await page.getByRole('button', { name: 'Start them' }).click()
  await page.getByText(/Started 1: session \d+/).waitFor()

  await page.getByRole('tab', { name: /Removed/ }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('removed')
  await page.getByRole('button', { name: 'Drop the old queue', exact: true }).click()
  await page.getByText(/Removed by Ada .*: superseded/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: /Started/ }).click()
  await page
    .locator('[data-item]')
    .filter({ hasText: 'First of all' })
    .getByRole('link', { name: /Session \d+/ })
    .waitFor()

  await page.getByRole('tab', { name: /Queue/ }).click()
  await page.getByLabel('Cost', { exact: true }).selectOption('large')
  await expect.poll(() => new URL(page.url()).search).toBe('?cost=large')
  await page.getByText('Rewrite the store').waitFor()
  await expect.poll(() => page.getByText('Split the worker').count()).toBe(0)
  expect(await call('GET', '/work_backlog_items?status=removed')).toMatchObject({
    work_backlog_items: expect.arrayContaining([expect.objectContaining({ removal_reason: 'superseded' })]),
  })
  expect(faults).toEqual([])
})

describe.each([
  { size: 'desktop', theme: 'light' },
  { size: 'desktop', theme: 'dark' },
  { size: 'phone', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const)('on a $size in the $theme theme', (look) => {
  test('the backlog with items and an open dialog has no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    await goto(address)
    await page.getByText('Rewrite the store').waitFor()
    await screenshot(page, `backlog-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await page.getByRole('button', { name: 'Rewrite the store', exact: true }).click()
    await page.getByRole('dialog').getByText('Queued by').waitFor()
    await screenshot(page, `backlog-details-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
