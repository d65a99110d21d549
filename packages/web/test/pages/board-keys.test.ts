import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { idleSession, keepLeavingRows, rowOf, titlesShown } from '../support/board.ts'
import { type OpenPage, openPage, pressUntilSeen, serverOfFile, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

type Shown = {
  status: string
  visibility: string
  favorited: boolean
  category: { name: string } | null
  metadata: { paused_by?: string }
}

async function show(id: number): Promise<Shown> {
  return (await sharedServer().call<{ session: Shown }>('GET', `/sessions/${id}`)).session
}

/** Opens the board with this one session, and puts the cursor on its row. */
async function openAtRow(title: string): Promise<OpenPage> {
  const opened = await openPage()
  await keepLeavingRows(opened)
  await opened.goto(`/?q=${encodeURIComponent(title)}`)
  await rowOf(opened.page, title).waitFor()
  await pressUntilSeen(opened.page, 'j', rowOf(opened.page, title).and(opened.page.locator('[data-cursor]')))
  return opened
}

/** Lets the time pass after which a row that left is gone. The board is read again meanwhile, as it is at an interval. */
async function goByTime(page: Page, row: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.fastForward('01:00')
      return row.count()
    })
    .toBe(0)
}

test('e archives the session at the cursor', async () => {
  const { id } = await makeSession('Key archives')
  const { page, faults } = await openAtRow('Key archives')
  await page.keyboard.press('e')
  await page.getByRole('status').getByText('Archived “Key archives”').waitFor()
  expect((await show(id)).status).toBe('archived')
  await rowOf(page, 'Key archives')
    .getByText(/^(archived|left this view)$/)
    .waitFor()
  expect(faults).toEqual([])
})

test('e archives the sessions that x selected, and not the one at the cursor', async () => {
  const ids: number[] = []
  for (const title of ['Keys third', 'Keys second', 'Keys first']) ids.push((await makeSession(title)).id)
  const { page, goto, faults } = await openPage()
  await goto('/?q=Keys&view=created')
  await rowOf(page, 'Keys third').waitFor()
  const cursor = (title: string) => rowOf(page, title).and(page.locator('[data-cursor]'))
  await pressUntilSeen(page, 'j', cursor('Keys first'))
  for (const title of ['Keys second', 'Keys third']) {
    await page.keyboard.press('j')
    await cursor(title).waitFor()
    await page.keyboard.press('x')
  }
  await page.getByRole('region', { name: 'Selected sessions' }).getByText('2 selected').waitFor()
  for (const title of ['Keys second', 'Keys first']) {
    await page.keyboard.press('k')
    await cursor(title).waitFor()
  }
  await page.keyboard.press('e')
  await page.getByRole('status').getByText('Archived 2 sessions').waitFor()
  const statuses = await Promise.all(ids.map(async (id) => (await show(id)).status))
  expect(statuses).toEqual(['archived', 'archived', 'needs_input'])
  expect(faults).toEqual([])
})

test('a key acts on a row that was selected by the mouse', async () => {
  const { id } = await makeSession('Ticked by the mouse')
  const { page } = await openAtRow('Ticked by the mouse')
  await page.getByRole('checkbox', { name: 'Select Ticked by the mouse' }).click()
  await page.getByRole('region', { name: 'Selected sessions' }).getByText('1 selected').waitFor()
  await page.keyboard.press('e')
  await page.getByRole('status').getByText('Archived “Ticked by the mouse”').waitFor()
  expect((await show(id)).status).toBe('archived')
})

test('p pauses the session at the cursor, and r starts it again', async () => {
  const { id } = await makeSession('Key pauses', 'run sleep 900', 'running')
  const { page, faults } = await openAtRow('Key pauses')
  await page.keyboard.press('p')
  await page.getByRole('status').getByText('Paused “Key pauses”').waitFor()
  expect((await show(id)).metadata.paused_by).toBe('user')
  await expect.poll(async () => (await show(id)).status).toBe('needs_input')
  await page.keyboard.press('r')
  await page.getByRole('status').getByText('Restarted “Key pauses”').waitFor()
  // The next turn only says how it goes on: it may have ended before anyone sees that it runs.
  const { call } = sharedServer()
  const turns = async () => (await call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns.length
  await expect.poll(turns).toBe(2)
  await call('DELETE', `/sessions/${id}`)
  expect(faults).toEqual([])
})

test('h hides the session at the cursor', async () => {
  const { id } = await idleSession('Key hides')
  const { page, faults } = await openAtRow('Key hides')
  await page.keyboard.press('h')
  await page.getByRole('status').getByText('Hidden “Key hides”').waitFor()
  expect((await show(id)).visibility).toBe('hidden')
  await rowOf(page, 'Key hides')
    .getByText(/^(hidden|left this view)$/)
    .waitFor()
  expect(faults).toEqual([])
})

test('s asks until when the session at the cursor is snoozed', async () => {
  const { id } = await idleSession('Key snoozes')
  const { page, faults } = await openAtRow('Key snoozes')
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog', { name: 'Snooze “Key snoozes”' })
  await dialog.getByRole('button', { name: /^In 1 hour/ }).click()
  await page.getByRole('status').getByText('Snoozed “Key snoozes”').waitFor()
  expect((await show(id)).visibility).toBe('snoozed')
  await rowOf(page, 'Key snoozes')
    .getByText(/^(snoozed|left this view)$/)
    .waitFor()
  expect(faults).toEqual([])
})

test('m asks for the category of the session at the cursor', async () => {
  const { id } = await idleSession('Key moves')
  await sharedServer().call('POST', '/categories', { name: 'Moved by a key' })
  const { page, faults } = await openAtRow('Key moves')
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog', { name: 'Move “Key moves”' })
  await dialog.getByRole('button', { name: 'Moved by a key' }).click()
  await page.getByRole('status').getByText('Moved to Moved by a key: “Key moves”').waitFor()
  expect((await show(id)).category?.name).toBe('Moved by a key')
  await page.getByRole('heading', { level: 2, name: 'Moved by a key' }).waitFor()
  expect(faults).toEqual([])
})

test('f and the star of the row make a session a favourite, and take it back', async () => {
  const { id } = await idleSession('Key stars')
  const { page, faults } = await openAtRow('Key stars')
  const [add, remove] = ['Make Key stars a favourite', 'Take Key stars from the favourites'].map((name) =>
    page.getByRole('button', { name }),
  )
  await page.keyboard.press('f')
  await remove?.waitFor()
  await expect.poll(async () => (await show(id)).favorited).toBe(true)
  await remove?.click()
  await add?.waitFor()
  await expect.poll(async () => (await show(id)).favorited).toBe(false)
  await add?.click()
  await expect.poll(async () => (await show(id)).favorited).toBe(true)
  await page.keyboard.press('f')
  await add?.waitFor()
  await expect.poll(async () => (await show(id)).favorited).toBe(false)
  expect(faults).toEqual([])
})

test('Alt and an arrow moves the row at the cursor up and down in its section', async () => {
  const { call } = sharedServer()
  const { category } = await call<{ category: { id: number } }>('POST', '/categories', { name: 'By Alt and arrow' })
  for (const title of ['Alt c', 'Alt b', 'Alt a']) {
    const { id } = await idleSession(title)
    await call('PATCH', `/sessions/${id}/set_category`, { category_id: category.id })
  }
  const stored = async () => {
    const { sections } = await call<{ sections: { key: string; cards: { title: string }[] }[] }>('GET', '/board')
    return sections.find(({ key }) => key === `category:${category.id}`)?.cards.map(({ title }) => title)
  }
  const { page, goto, faults } = await openPage()
  await goto('/?q=Alt')
  const shown = () => titlesShown(page, 'Alt')
  await expect.poll(shown).toEqual(['Alt a', 'Alt b', 'Alt c'])
  await pressUntilSeen(page, 'j', rowOf(page, 'Alt a').and(page.locator('[data-cursor]')))
  const steps: [key: string, order: string[]][] = [
    ['Alt+ArrowDown', ['Alt b', 'Alt a', 'Alt c']],
    ['Alt+ArrowDown', ['Alt b', 'Alt c', 'Alt a']],
    ['Alt+ArrowUp', ['Alt b', 'Alt a', 'Alt c']],
  ]
  for (const [key, order] of steps) {
    await page.keyboard.press(key)
    await expect.poll(stored).toEqual(order)
    await expect.poll(shown).toEqual(order)
  }
  expect(faults).toEqual([])
})

test('a row that leaves with the focus gives the cursor and the focus to the one below it, and the last one to the one above', async () => {
  for (const title of ['Next d', 'Next c', 'Next b', 'Next a']) await makeSession(title)
  const { page, goto, faults } = await openPage()
  await page.clock.install()
  await goto('/?q=Next&view=created')
  const cursor = (title: string) => rowOf(page, title).and(page.locator('[data-cursor]'))
  await pressUntilSeen(page, 'j', cursor('Next a'))
  for (const title of ['Next b', 'Next c']) {
    await page.keyboard.press('j')
    await cursor(title).waitFor()
  }
  for (const [leaves, next] of [
    ['Next c', 'Next d'],
    ['Next d', 'Next b'],
  ] as const) {
    await expect.poll(() => cursor(leaves).locator('a:focus').count()).toBe(1)
    await page.keyboard.press('e')
    await page.getByRole('status').getByText(`Archived “${leaves}”`).waitFor()
    await rowOf(page, leaves)
      .getByText(/^(archived|left this view)$/)
      .waitFor()
    await goByTime(page, rowOf(page, leaves))
    await cursor(next).waitFor()
    await page.clock.runFor(100)
    await expect.poll(() => cursor(next).locator('a:focus').count()).toBe(1)
  }
  await page.keyboard.press('k')
  await cursor('Next a').waitFor()
  expect(faults).toEqual([])
})

test('when the row at the cursor leaves while a person is elsewhere, the focus stays there and the keys go on from its place', async () => {
  const ids: number[] = []
  for (const title of ['Away d', 'Away c', 'Away b', 'Away a']) ids.push((await idleSession(title)).id)
  const { page, goto, faults } = await openPage()
  await page.clock.install()
  await goto('/?q=Away&view=created')
  const cursor = (title: string) => rowOf(page, title).and(page.locator('[data-cursor]'))
  await pressUntilSeen(page, 'j', cursor('Away a'))
  await page.keyboard.press('j')
  await cursor('Away b').waitFor()
  const search = page.getByRole('searchbox')
  await search.focus()
  await page.getByText('live', { exact: true }).waitFor()
  await sharedServer().call('PATCH', `/sessions/${ids[2]}/visibility`, { visibility: 'hidden' })
  await rowOf(page, 'Away b')
    .getByText(/^(hidden|left this view)$/)
    .waitFor()
  await goByTime(page, rowOf(page, 'Away b'))
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true)
  await page.locator('main').focus()
  await page.keyboard.press('j')
  await cursor('Away c').waitFor()
  expect(faults).toEqual([])
})

test('the menu of a row takes the focus and is used by keys, which do not act on the row meanwhile', async () => {
  const { id } = await idleSession('Guard focus')
  const { page, faults } = await openAtRow('Guard focus')
  const trigger = page.getByRole('button', { name: 'Actions of Guard focus' })
  await trigger.press('Enter')
  const menu = page.getByRole('menu', { name: 'Actions of Guard focus' })
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toMatch(/^Open beside the board/)
  await page.keyboard.press('e')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await expect.poll(() => trigger.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await show(id)).toMatchObject({ status: 'waiting', favorited: false })
  await trigger.press('Enter')
  await expect.poll(focused).toMatch(/^Open beside the board/)
  for (const item of [/^Select/, /^Notes/, /^Make a favourite/]) {
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toMatch(item)
  }
  await page.keyboard.press('Enter')
  await menu.waitFor({ state: 'detached' })
  await expect.poll(async () => (await show(id)).favorited).toBe(true)
  expect(faults).toEqual([])
})

test('a menu that opens while the focus is on its way to a row keeps the focus', async () => {
  await idleSession('Guard menu')
  const { page, goto, faults } = await openPage()
  // Holds back the step that focuses the row at the cursor, and nothing else.
  await page.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window)
    const held: FrameRequestCallback[] = []
    const patched = (act: FrameRequestCallback) => {
      if (!String(act).includes('data-session')) return request(act)
      held.push(act)
      return 0
    }
    const release = () => held.splice(0).map((act) => act(performance.now())).length
    Object.assign(window, { requestAnimationFrame: patched, release })
  })
  await goto('/?q=Guard+menu')
  await pressUntilSeen(page, 'j', rowOf(page, 'Guard menu').and(page.locator('[data-cursor]')))
  await page.getByRole('button', { name: 'Actions of Guard menu' }).click()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await expect.poll(focused).toMatch(/^Open beside the board/)
  expect(await page.evaluate(() => (window as unknown as { release(): number }).release())).toBeGreaterThan(0)
  expect(await focused()).toMatch(/^Open beside the board/)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
