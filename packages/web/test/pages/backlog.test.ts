import { beforeAll, describe, expect, test } from 'vitest'
import { append, listed } from '../support/backlog.ts'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'

const repo = 'acme/yard'
const address = `/backlog?repo=${encodeURIComponent(repo)}`

async function queued(repo?: string): Promise<string[]> {
  return (await listed(repo)).map(({ title }) => title)
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
  await page.getByText('Above the bands', { exact: true }).waitFor()
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

async function openBacklog(repo: string) {
  const opened = await openPage()
  await opened.goto(`/backlog?repo=acme%2F${repo}`)
  const rows = opened.page.getByRole('list', { name: 'Queued work, first to last' }).locator('[data-item]')
  const row = (title: string) => rows.filter({ hasText: title })
  /** Drops an item at the upper or the lower edge of another one. */
  const drag = async (title: string, edge: 'upper' | 'lower', target: string) => {
    const { height = 0 } = (await row(target).boundingBox()) ?? {}
    const targetPosition = { x: 200, y: edge === 'upper' ? 3 : height - 3 }
    await row(title).locator('.cursor-grab').dragTo(row(target), { targetPosition })
  }
  const shown = () => rows.evaluateAll((all) => all.map((each) => each.querySelector('button')?.textContent ?? ''))
  return { ...opened, row, drag, shown }
}

test('a dropped item stays in the band of the item beside which it was dropped, and the page names its own cost', async () => {
  await append('one', { repo: 'acme/bands' })
  await append('two', { repo: 'acme/bands' })
  await append('wide', { repo: 'acme/bands', estimated_cost: 'large' })
  const { page, row, drag, shown, faults } = await openBacklog('bands')
  await drag('wide', 'lower', 'two')
  await page.getByText(/Pinned at position \d+, in “Small cost”. Its own cost stays large./).waitFor()
  await expect.poll(() => queued('bands')).toEqual(['one', 'two', 'wide'])
  const [, two, wide] = await listed('bands')
  expect(wide).toMatchObject({ pinned: true, estimated_cost: 'large' })
  expect(two?.precedence).toBeGreaterThan(wide?.precedence ?? 0)
  await expect.poll(() => page.getByText('Large cost').count()).toBe(0)
  await row('wide').getByText('pinned').waitFor()

  await drag('wide', 'upper', 'one')
  await expect.poll(() => queued('bands')).toEqual(['wide', 'one', 'two'])
  await expect.poll(shown).toEqual(['wide', 'one', 'two'])
  expect(faults).toEqual([])
})

test('a dropped item is shown at its place at once, and goes back when the server refuses', async () => {
  await append('one', { repo: 'acme/refused' })
  await append('two', { repo: 'acme/refused' })
  const { page, row, drag, shown, faults } = await openBacklog('refused')
  let refuse: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    refuse = resolve
  })
  const [, two] = await listed('refused')
  await page.route(`**/work_backlog_items/${two?.id}/pin`, async (route) => {
    await held
    await route.fulfill({
      status: 422,
      json: { error: 'Not queued', message: 'two is started', messages: ['two is started'] },
    })
  })
  await drag('two', 'upper', 'one')
  await expect.poll(shown).toEqual(['two', 'one'])
  await row('two').getByText('pinned').waitFor()
  refuse()
  await page.getByText('two is started').waitFor()
  await expect.poll(shown).toEqual(['one', 'two'])
  expect(await queued('refused')).toEqual(['one', 'two'])
  expect(faults).toEqual([])
})

test('a drop at an end of a filtered list leaps over nothing that the filter hides', async () => {
  await append('hidden', { repo: 'acme/first', pinned: true, precedence: 9_000 })
  await append('one', { repo: 'acme/shown', pinned: true, precedence: 8_000 })
  await append('two', { repo: 'acme/shown', pinned: true, precedence: 7_990 })
  await append('last', { repo: 'acme/first', pinned: true, precedence: 7_980 })
  const { page, row, drag, faults } = await openBacklog('shown')
  await drag('two', 'upper', 'one')
  await expect.poll(() => queued('shown')).toEqual(['two', 'one'])
  const [hidden] = await listed('first')
  expect((await listed('shown'))[0]?.position).toBe((hidden?.position ?? 0) + 1)

  await drag('two', 'lower', 'one')
  await expect.poll(() => queued('shown')).toEqual(['one', 'two'])
  const [, last] = await listed('first')
  expect((await listed('shown'))[1]?.position).toBe((last?.position ?? 0) - 1)

  await row('two').getByRole('button', { name: 'Actions of two' }).click()
  await page.getByRole('menuitem', { name: 'Move to the top' }).click()
  await expect.poll(async () => (await listed('shown'))[0]).toMatchObject({ title: 'two', position: 1 })
  expect(faults).toEqual([])
})

test('an item at the end of the list stays unpinned when it is moved beyond it, and the page says when no rank is left', async () => {
  const older = await append('older', { repo: 'acme/ends', estimated_cost: 'large' })
  await append('last', { repo: 'acme/ends', pinned: true, precedence: -2_147_483_648 })
  const { page, row, drag, faults } = await openBacklog('ends')
  await row('older').getByRole('button', { name: 'older', exact: true }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await drag('older', 'lower', 'last')
  await page.getByText('There is no rank left at this place. Move one of its neighbours first.').waitFor()
  expect((await listed('ends'))[0]).toMatchObject({ id: older.id, pinned: false, precedence: older.precedence })
  expect(faults).toEqual([])
})

test('without a forge the page says that it cannot be asked', async () => {
  const { page, goto } = await openPage()
  await goto(address)
  await page.getByRole('button', { name: 'Ask the forge' }).click()
  await page.getByRole('status').getByText('Forge is not configured').waitFor()
})

describe.each(looks)('on a $size in the $theme theme', (look) => {
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
