import { expect, test } from 'vitest'
import { drag, keepLeavingRows } from '../support/board.ts'
import {
  axe,
  keepBack,
  type OpenPage,
  openPage,
  overflows,
  pressUntilSeen,
  screenshot,
  serverOfFile,
  sharedServer,
  takeFromPalette,
} from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

const call: ReturnType<typeof sharedServer>['call'] = (...input) => sharedServer().call(...input)

function row(page: OpenPage['page'], title: string) {
  return page.locator('[data-session]', { hasText: title })
}

async function choose({ page }: OpenPage, title: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${title}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('archives a session from its row, keeps the row in its place, and takes it back by undo', async () => {
  const title = 'Archive me and take me back'
  const { id } = await makeSession(title)
  const opened = await openPage()
  const { page, goto } = opened
  await keepLeavingRows(opened)
  await goto('/?q=Archive+me')
  await choose(opened, title, 'Archive')
  await row(page, title).getByText('archived', { exact: true }).waitFor()
  // Offered once the server has archived it.
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await show(id)).status).toBe('needs_input')
  await expect.poll(() => row(page, title).getByText('archived', { exact: true }).count()).toBe(0)
  expect(opened.faults).toEqual([])
})

test('names each session that refused a bulk action, does the rest, and archives those with queued messages on demand', async () => {
  const one = await makeSession('Bulk one rests')
  const other = await makeSession('Bulk two has a queue', 'run sleep 900', 'running')
  await call('POST', `/sessions/${other.id}/enqueued_messages`, { content: 'and then this' })
  const opened = await openPage()
  const { page, goto } = opened
  await goto('/?q=Bulk')
  await row(page, 'Bulk one rests').hover()
  await page.getByRole('checkbox', { name: 'Select Bulk one rests' }).click()
  const second = page.getByRole('checkbox', { name: 'Select Bulk two has a queue' })
  await second.click({ modifiers: ['Shift'] })
  await expect.poll(() => second.isChecked()).toBe(true)
  const bar = page.getByRole('region', { name: 'Selected sessions' })
  await bar.getByText('2 selected').waitFor()
  await screenshot(page, 'board-bulk')
  expect(await axe(page)).toEqual([])
  await bar.getByRole('button', { name: 'Archive' }).click()
  const report = page.getByRole('alert', { name: 'Refused' })
  await report.getByText('Archived 1 of 2; 1 refused').waitFor()
  await report.getByRole('link', { name: 'Bulk two has a queue' }).waitFor()
  await screenshot(page, 'board-refused')
  expect((await show(one.id)).status).toBe('archived')
  expect((await show(other.id)).status).not.toBe('archived')
  expect(await axe(page)).toEqual([])
  await report.getByRole('button', { name: 'Archive anyway' }).click()
  await report.waitFor({ state: 'detached' })
  await expect.poll(async () => (await show(other.id)).status).toBe('archived')
  await call('DELETE', `/sessions/${other.id}`)
  expect(opened.faults).toEqual([])
})

test('snoozes in local time, hides and shows again, makes a favourite, and moves to a category', async () => {
  const title = 'Menu of a row'
  const { id } = await makeSession(title)
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name: `Upkeep ${id}` })
  const opened = await openPage()
  const { page, goto } = opened
  await goto('/?q=Menu+of&shown=all')
  await choose(opened, title, 'Make a favourite')
  await expect.poll(async () => (await show(id)).favorited).toBe(true)
  await choose(opened, title, 'Snooze…')
  await page.getByRole('dialog').getByText('Europe/Berlin').waitFor()
  await screenshot(page, 'board-snooze')
  expect(await axe(page)).toEqual([])
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Tomorrow morning/ })
    .click()
  await expect.poll(async () => (await show(id)).visibility).toBe('snoozed')
  await choose(opened, title, 'Show on the board')
  await expect.poll(async () => (await show(id)).visibility).toBe('visible')
  await choose(opened, title, 'Hide')
  await expect.poll(async () => (await show(id)).visibility).toBe('hidden')
  await choose(opened, title, 'Move to a category…')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Upkeep ${id}` })
    .click()
  await expect.poll(async () => (await show(id)).category?.id).toBe(category.id)
  await choose(opened, title, 'Class and precedence…')
  await page.getByLabel('Precedence').fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await show(id)).precedence).toBe(7)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const placed = page.waitForResponse((response) => response.request().postData()?.includes('top_of_spot') ?? false)
  await choose(opened, title, 'Top of the queue')
  await placed
  await choose(opened, title, 'Sleep')
  await choose(opened, title, 'Restart')
  await page.getByText(`Restarted “${title}”`).waitFor()
  expect(opened.faults).toEqual([])
})

test('adds, renames, freezes, moves and deletes a category, and drags a row into it', async () => {
  const title = 'Drag me into a section'
  const { id } = await makeSession(title)
  const opened = await openPage()
  const { page, goto } = opened
  await goto('/')
  await page.getByRole('button', { name: 'Actions of Uncategorized' }).click()
  await page.getByRole('menuitem', { name: 'New category…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(`Release ${id}`)
  await page.getByRole('button', { name: 'Save' }).click()
  const heading = page.getByRole('button', { name: `Release ${id}`, exact: true })
  await heading.waitFor()
  await drag(page, row(page, title), heading)
  await expect.poll(async () => (await show(id)).category?.name).toBe(`Release ${id}`)
  await choose(opened, `Release ${id}`, 'Freeze')
  await page.getByText('frozen').first().waitFor()
  await choose(opened, `Release ${id}`, 'Rename…')
  await page.getByRole('textbox', { name: 'Name' }).fill(`Renamed ${id}`)
  await page.getByRole('button', { name: 'Save' }).click()
  const moved = page.waitForResponse((response) => response.url().includes('/categories/reorder'))
  await choose(opened, `Renamed ${id}`, 'Move section up')
  await moved
  await page.getByRole('button', { name: `Renamed ${id}`, exact: true }).click()
  await row(page, title).waitFor({ state: 'detached' })
  await choose(opened, `Renamed ${id}`, 'Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: `Renamed ${id}`, exact: true }).waitFor({ state: 'detached' })
  expect((await show(id)).category ?? null).toBeNull()
  expect(opened.faults).toEqual([])
})

test('keeps view and filters in the address and under a name of their own', async () => {
  const { id } = await makeSession('Filtered by its title')
  const opened = await openPage()
  const { page, goto } = opened
  await goto('/')
  await page.getByLabel('View').selectOption('touched')
  await page.waitForURL(/view=touched/)
  await page.getByRole('searchbox').fill(String(id))
  await page.waitForURL(/q=/)
  await row(page, 'Filtered by its title').waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Show archived sessions').click()
  await page.getByLabel('Save this view as').fill('My archive')
  await page.getByRole('button', { name: 'Save' }).click()
  await screenshot(page, 'board-filters')
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('link', { name: 'My archive' }).click()
  await page.waitForURL(/archived=true/)
  await page.reload()
  await row(page, 'Filtered by its title').waitFor()
  expect(opened.faults).toEqual([])
})

test('shows a change of status in the row, and says where a row went that left the filter', async () => {
  const title = 'Leaves the filter'
  const { id } = await makeSession(title)
  const opened = await openPage()
  const { page, goto } = opened
  await keepLeavingRows(opened)
  await goto('/?status=needs_input&q=Leaves')
  await row(page, title).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await call('POST', `/sessions/${id}/archive`)
  await row(page, title).getByText('moved to Archived').waitFor()
  await row(page, title).getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await show(id)).status).toBe('needs_input')
  expect(opened.faults).toEqual([])
})

test('starts a session in one line, and moves through the rows by keys', async () => {
  await makeSession('One to move to by keys')
  const opened = await openPage()
  const { page, goto } = opened
  const prompt = `Say hello to ${Date.now()}`
  await goto('/?view=created')
  await page.getByLabel('Start a session').fill(prompt)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('status').getByText(`Started “${prompt}”`).waitFor()
  await expect.poll(() => page.getByLabel('Start a session').inputValue()).toBe('')
  await page.getByRole('heading', { name: 'Board' }).waitFor({ state: 'attached' })
  // Its row comes on top: below a cursor that is there before, it would move the cursor down.
  await page.locator('[data-session]').first().filter({ hasText: prompt }).waitFor()
  await page.locator('[data-session]').nth(1).waitFor()
  await page.locator('body').click({ position: { x: 5, y: 5 } })
  await page.locator('main').focus()
  const cursor = (index: number) => page.locator('[data-session]').nth(index).and(page.locator('[data-cursor]'))
  await pressUntilSeen(page, 'j', cursor(0))
  await page.keyboard.press('j')
  await cursor(1).waitFor()
  await page.keyboard.press('k')
  await cursor(0).waitFor()
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  // The link of the row gets the focus with the next frame.
  await expect.poll(() => cursor(0).locator(':focus').count()).toBe(1)
  await page.keyboard.press('Enter')
  // The address changes before the page does.
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  const first = page.url()
  await page.keyboard.press(']')
  await page.waitForURL((url) => url.href !== first)
  await page.getByRole('heading', { name: 'One to move to by keys' }).waitFor()
  await page.keyboard.press('[')
  await page.waitForURL(first)
  expect(opened.faults).toEqual([])
})

test('a session cannot be started before the roots are read, because without one it would be refused', async () => {
  const { page, goto } = await openPage()
  const read = await keepBack(page, '**/web/*/v1/configs')
  const start = page.getByRole('button', { name: 'Start', exact: true })
  await goto('/sessions/new')
  await page.getByLabel('What should the agent do?').fill('say Too early')
  expect(await start.isDisabled()).toBe(true)
  await goto('/')
  await page.getByLabel('Start a session').fill('say Too early')
  expect(await start.isDisabled()).toBe(true)
  read()
  await start.click()
  await page.getByRole('status').getByText('Started “say Too early”').waitFor()
})

test.each(['ranked', 'touched', 'created', 'categories'])(
  'the view %s fits a phone and a desktop in both themes',
  async (view) => {
    await makeSession('A row with a rather long title that has to be cut somewhere near the end')
    for (const size of ['desktop', 'phone'] as const) {
      const theme = view === 'categories' || view === 'touched' ? 'light' : 'dark'
      const { page, goto, faults } = await openPage({ size, theme })
      await goto(view === 'categories' ? '/' : `/?view=${view}`)
      await page.locator('[data-session]').first().waitFor()
      await screenshot(page, `board-${view}-${size}-${theme}`)
      expect(await axe(page)).toEqual([])
      expect(await overflows(page)).toEqual([])
      expect(faults).toEqual([])
    }
  },
)

type Shown = {
  status: string
  visibility: string
  favorited: boolean
  precedence: number
  category?: { id: number; name: string } | null
}

async function show(id: number): Promise<Shown> {
  return (await call<{ session: Shown }>('GET', `/sessions/${id}`)).session
}

test('a session is named by its prompt while its first turn runs, and the toast leads to it', async () => {
  const opened = await openPage()
  const { page, goto, faults } = opened
  await goto('/')
  const prompt = `run sleep 900 # count the wagons ${Date.now()}`
  await page.getByRole('textbox', { name: /^Start a session/ }).fill(prompt)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const toast = page.getByRole('status').filter({ hasText: `Started “${prompt}”` })
  await row(page, prompt).waitFor()
  await screenshot(page, 'board-first-turn')
  await toast.getByRole('link', { name: 'Open' }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  await page.getByRole('heading', { name: prompt }).waitFor()
  await call('DELETE', `/sessions/${/\d+$/.exec(page.url())?.[0]}`)
  expect(faults).toEqual([])
})

test('a session is read and written to beside the board, as wide as the person made it', async () => {
  const one = await makeSession('Peek at the first', 'say The first answer')
  await makeSession('Peek at the second', 'say The second answer')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Peek+at')
  await row(page, 'Peek at the first').getByRole('link').first().focus()
  const drawer = page.getByRole('complementary', { name: 'Session beside the board' })
  await pressUntilSeen(page, 'o', drawer)
  await drawer.getByText('The first answer').last().waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe(String(one.id))
  await drawer.getByRole('textbox', { name: 'Message' }).fill('say Heard beside the board')
  await drawer.getByRole('button', { name: /^Send/ }).click()
  await drawer.getByRole('article', { name: 'Agent' }).getByText('Heard beside the board').waitFor()
  await screenshot(page, 'board-drawer')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await drawer.getByRole('separator', { name: 'Width of the session' }).press('ArrowLeft')
  await row(page, 'Peek at the second').hover()
  await page.getByRole('button', { name: 'Open Peek at the second beside the board' }).click()
  await drawer.getByText('The second answer').last().waitFor()
  await page.reload()
  await drawer.getByText('The second answer').last().waitFor()
  await expect.poll(() => drawer.getByRole('separator').getAttribute('aria-valuenow')).toBe('520')
  const width = () => drawer.getByRole('separator').getAttribute('aria-valuenow')
  await drawer.getByRole('button', { name: 'Make it narrower' }).click()
  await expect.poll(width).toBe('480')
  await drawer.getByRole('button', { name: 'Make it wider' }).click()
  await expect.poll(width).toBe('800')
  await drawer.getByRole('button', { name: 'Close the session' }).click()
  await drawer.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('Mine shows the sessions that this person wrote to', async () => {
  await makeSession('Mine not: made by a script')
  const mine = await makeSession('Mine too: answered by Ada')
  const { page, goto } = await openPage()
  await goto(`/sessions/${mine.id}`)
  await page.getByRole('textbox', { name: 'Message' }).fill('say hello')
  await page.getByRole('button', { name: /^Send/ }).click()
  await page.getByText('Delivered').waitFor()
  await goto('/?q=Mine')
  await row(page, 'Mine not').waitFor()
  await page.getByRole('link', { name: 'Mine', exact: true }).click()
  await row(page, 'Mine not').waitFor({ state: 'detached' })
  await row(page, 'Mine too').waitFor()
})

test('a title, a category and a visibility that someone else changes appear by their event', async () => {
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', {
    name: `Elsewhere ${Date.now()}`,
  })
  const { id } = await makeSession('Changed by someone else')
  const opened = await openPage()
  const { page, goto } = opened
  await keepLeavingRows(opened)
  // Without the reads at intervals: only an event makes the page read the board again.
  await page.addInitScript(() => {
    const start = window.setInterval.bind(window)
    window.setInterval = ((work: TimerHandler, ms?: number) =>
      ms === 60_000 ? 0 : start(work, ms)) as typeof window.setInterval
  })
  await goto(`/?q=%23${id}`)
  await row(page, 'Changed by someone else').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await call('PATCH', `/sessions/${id}`, { title: 'Another title' })
  await row(page, 'Another title').waitFor()
  await call('PATCH', `/sessions/${id}/set_category`, { category_id: category.id })
  await page.getByRole('heading', { name: /^Elsewhere/ }).waitFor()
  await call('PATCH', `/sessions/${id}/visibility`, { visibility: 'hidden' })
  await row(page, 'Another title').getByText('left this view').waitFor()
})

test('the sessions of one category, or the favourites, are continued without the others', async () => {
  const [inside, outside, favourite] = [
    await makeSession('Continue inside'),
    await makeSession('Continue outside'),
    await makeSession('Continue a favourite'),
  ]
  const name = `To continue ${inside.id}`
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name })
  await call('PATCH', `/sessions/${inside.id}/set_category`, { category_id: category.id })
  await call('POST', `/sessions/${favourite.id}/toggle_favorite`)
  const turnsOf = async (id: number) => (await call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns.length
  const opened = await openPage()
  const { page, goto } = opened
  // Only a few rows: a section far below is not on the page until someone scrolls there.
  await goto('/?q=Continue')
  await choose(opened, name, 'Continue those that failed or rest')
  await expect.poll(() => turnsOf(inside.id)).toBe(2)
  await takeFromPalette(page, 'Continue the favourites', 'Continue the favourites that failed or rest')
  await expect.poll(() => turnsOf(favourite.id)).toBe(2)
  expect([await turnsOf(inside.id), await turnsOf(outside.id)]).toEqual([2, 1])
  expect(opened.faults).toEqual([])
})
