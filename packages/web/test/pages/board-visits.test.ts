import { expect, test } from 'vitest'
import { choose, idleSession, rowOf, titlesShown } from '../support/board.ts'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer, startServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

test('the filters of the board are there again after a session, by every way to the board, until they are reset', async () => {
  const { id } = await idleSession('Kept asks', { scheduling_class: 'priority' })
  await idleSession('Kept other')
  const { page, goto, faults } = await openPage()
  await goto('/?q=Kept')
  const shown = async () => (await titlesShown(page, 'Kept')).toSorted()
  await expect.poll(shown).toEqual(['Kept asks', 'Kept other'])
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('dialog', { name: 'Filters' }).getByLabel('Class').selectOption('priority')
  await page.keyboard.press('Escape')
  await expect.poll(shown).toEqual(['Kept asks'])
  const isKept = async () => {
    await page.waitForURL(/class=priority/)
    await expect.poll(shown).toEqual(['Kept asks'])
    await page.getByRole('button', { name: 'Filters 1 in use' }).waitFor()
  }
  const rail = page.getByRole('navigation', { name: 'Pages' })
  await rowOf(page, 'Kept asks').getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Kept asks' }).waitFor()
  await rail.getByRole('link', { name: 'Board' }).click()
  await isKept()
  await goto(`/sessions/${id}`)
  await page.goBack()
  await isKept()
  await goto('/')
  await isKept()
  await screenshot(page, 'board-kept-filters')
  expect(await axe(page)).toEqual([])
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect.poll(shown).toEqual(['Kept asks', 'Kept other'])
  expect(new URL(page.url()).search).toBe('')
  await goto('/inbox')
  await rail.getByRole('link', { name: 'Board' }).click()
  await expect.poll(shown).toEqual(['Kept asks', 'Kept other'])
  expect(new URL(page.url()).search).toBe('')
  expect(faults).toEqual([])
})

test('a board that is read because someone points at its link is read with the filters it will open with', async () => {
  await idleSession('Pointed at')
  const { page, goto } = await openPage()
  await goto('/?q=Pointed')
  await rowOf(page, 'Pointed at').waitFor()
  await goto('/inbox')
  const read = page.waitForRequest(/\/v1\/board\?/)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Board' }).hover()
  expect(new URL((await read).url()).searchParams.get('q')).toBe('Pointed')
})

test('an address with a query shows what it says, whatever was filtered before, and the back button leads out of filters', async () => {
  await idleSession('Says alpha')
  await idleSession('Says beta')
  const { page, goto, faults } = await openPage()
  const shown = async () => (await titlesShown(page, 'Says')).toSorted()
  await goto('/')
  await expect.poll(shown).toEqual(['Says alpha', 'Says beta'])
  await page.getByRole('navigation', { name: 'Quick filters' }).getByRole('link', { name: 'Favourites' }).click()
  await expect.poll(shown).toEqual([])
  await page.goBack()
  await expect.poll(shown).toEqual(['Says alpha', 'Says beta'])
  expect(new URL(page.url()).search).toBe('')
  await page.goForward()
  await page.waitForURL(/mine=favorites/)
  await goto('/?q=alpha')
  await expect.poll(shown).toEqual(['Says alpha'])
  expect(new URL(page.url()).search).toBe('?q=alpha')
  await page
    .getByRole('navigation', { name: 'Quick filters' })
    .getByRole('link', { name: /^Waiting/ })
    .click()
  await page.waitForURL(/status=waiting/)
  await page.goBack()
  await expect.poll(() => new URL(page.url()).search).toBe('?q=alpha')
  expect(faults).toEqual([])
})

test.each([
  { theme: 'light', view: 'categories' },
  { theme: 'dark', view: 'ranked' },
  { theme: 'light', view: 'touched' },
] as const)('on a phone single rows of the view $view are selected by the menu of a row and by taps', async (look) => {
  const word = `Tap${look.view}`
  const { call } = sharedServer()
  const ids: number[] = []
  for (const name of ['one', 'two', 'three']) ids.push((await makeSession(`${word} ${name}`)).id)
  const { page, goto, faults } = await openPage({ size: 'phone', theme: look.theme })
  await goto(`/?q=${word}&view=${look.view}&class=spot`)
  await choose(page, `${word} one`, 'Select')
  const bar = page.getByRole('region', { name: 'Selected sessions' })
  await bar.getByText('1 selected').waitFor()
  await rowOf(page, `${word} two`).getByRole('link').tap()
  await bar.getByText('2 selected').waitFor()
  await rowOf(page, `${word} three`).getByRole('checkbox').tap()
  await bar.getByText('3 selected').waitFor()
  await rowOf(page, `${word} three`).getByRole('link').tap()
  await bar.getByText('2 selected').waitFor()
  await screenshot(page, `board-tap-${look.view}-${look.theme}`)
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await bar.getByRole('button', { name: 'Archive' }).tap()
  await page.getByRole('status').getByText('Archived 2 sessions').waitFor()
  const statuses = ids.map(
    async (id) => (await call<{ session: { status: string } }>('GET', `/sessions/${id}`)).session.status,
  )
  expect(await Promise.all(statuses)).toEqual(['archived', 'archived', 'needs_input'])
  await bar.waitFor({ state: 'detached' })
  // Nothing is selected any more: a tap opens.
  await rowOf(page, `${word} three`).getByRole('link').tap()
  await page.waitForURL(/\/sessions\/\d+$/)
  expect(faults).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'the offer to undo an archiving counts the seconds that are left, in the %s theme',
  async (theme) => {
    const title = `Counted down in ${theme}`
    await makeSession(title)
    const { page, goto, faults } = await openPage({ theme, size: theme === 'light' ? 'desktop' : 'phone' })
    await goto(`/?q=${encodeURIComponent(title)}`)
    await choose(page, title, 'Archive')
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo', exact: true })
    await undo.waitFor()
    const width = (await undo.boundingBox())?.width
    const left = async () => Number((await undo.textContent())?.match(/\d+/)?.[0])
    // It begins with 10 seconds. Tests keep the offer for longer than it says.
    await expect.poll(left).toBeLessThan(10)
    expect((await undo.boundingBox())?.width).toBe(width)
    await screenshot(page, `board-undo-${theme}`)
    expect(await axe(page)).toEqual([])
    await expect.poll(left).toBe(0)
    expect((await undo.boundingBox())?.width).toBe(width)
    // Assistive technology reads the offer once, and not each second.
    expect(await undo.locator('[aria-hidden]').last().textContent()).toBe('0')
    expect(faults).toEqual([])
  },
)

test('a board from which every session is archived or hidden leads to them, and offers no first session', async () => {
  const server = await startServer()
  const made = async (title: string) =>
    (await server.call<{ session: { id: number } }>('POST', '/sessions', { title, agent_root: 'sample' })).session.id
  await server.call('POST', `/sessions/${await made('Is put away')}/archive`)
  await server.call('PATCH', `/sessions/${await made('Is hidden')}/visibility`, { visibility: 'hidden' })
  const { page, goto, faults } = await openPage({ server, size: 'phone' })
  await goto('/')
  await page.getByText('Nothing on the board').waitFor()
  expect(await page.getByText('No sessions yet').count()).toBe(0)
  await screenshot(page, 'board-nothing-on-it')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('link', { name: 'Show archived' }).click()
  await rowOf(page, 'Is put away').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Show hidden and snoozed' }).click()
  await rowOf(page, 'Is hidden').waitFor()
  expect(faults).toEqual([])
})
