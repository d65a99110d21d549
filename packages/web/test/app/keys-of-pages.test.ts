import { expect, test } from 'vitest'
import { idleSession } from '../support/board.ts'
import { openPage, pressInSequence, pressUntilSeen, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

test('g and a letter open the pages of the rail and of More, / opens the search, and c a new session', async () => {
  const { page, goto, faults } = await openPage()
  await goto('/inbox')
  const pages: [heading: string, path: string, ...keys: string[]][] = [
    ['Backlog', '/backlog', 'g', 'l'],
    ['Costs', '/costs', 'g', 'c'],
    ['Health', '/health-report', 'g', 'h'],
    ['Notifications', '/notifications', 'g', 'n'],
    ['Outcomes', '/outcomes', 'g', 'o'],
    ['Settings', '/settings', 'g', 's'],
    ['Search', '/search', '/'],
    ['Inbox', '/inbox', 'g', 'i'],
    ['New session', '/sessions/new', 'c'],
  ]
  for (const [heading, path, ...keys] of pages) {
    await pressInSequence(page, ...keys)
    await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    // A page may give a field the focus, which would take the next letters.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
  }
  expect(faults).toEqual([])
})

test('on the page of a session / finds in the transcript, r writes to the agent, f makes it a favourite and e archives it', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Used by its keys')
  type Shown = { session: { status: string; favorited: boolean } }
  const session = async () => (await call<Shown>('GET', `/sessions/${id}`)).session
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  // They are loaded after the page: before that / opens the search.
  const help = page.getByRole('dialog', { name: 'Keys' })
  await pressUntilSeen(page, '?', help)
  await help.getByText('Find in the transcript').waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  const find = page.getByRole('textbox', { name: 'Find in the transcript' })
  await page.keyboard.press('/')
  await find.waitFor()
  expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`)
  await page.keyboard.press('Escape')
  await find.waitFor({ state: 'detached' })

  const message = page.getByRole('textbox', { name: 'Message' })
  await page.keyboard.press('r')
  await expect.poll(() => message.evaluate((field) => field === document.activeElement)).toBe(true)
  await page.keyboard.type('fe/r')
  expect(await message.inputValue()).toBe('fe/r')
  expect(await session()).toMatchObject({ status: 'needs_input', favorited: false })
  await message.fill('')
  await message.blur()

  await page.keyboard.press('f')
  await expect.poll(async () => (await session()).favorited).toBe(true)
  await page.keyboard.press('f')
  await expect.poll(async () => (await session()).favorited).toBe(false)
  await page.keyboard.press('e')
  await expect.poll(async () => (await session()).status).toBe('archived')
  expect(faults).toEqual([])
})

test('[ and ] go through the list also from an address with the slug of a session', async () => {
  const { call } = sharedServer()
  const word = `Slugged${Date.now()}`
  for (const title of [`${word} lower`, `${word} upper`]) await idleSession(title)
  const { page, goto, faults } = await openPage()
  await goto(`/?q=${word}&view=created`)
  await page.getByRole('link', { name: `${word} lower`, exact: true }).waitFor()
  await page.getByRole('link', { name: `${word} upper`, exact: true }).click()
  await page.getByRole('heading', { name: `${word} upper`, level: 1 }).waitFor()
  const { session } = await call<{ session: { slug: string } }>('GET', `/sessions/${page.url().split('/').at(-1)}`)
  await goto(`/sessions/${session.slug}`)
  await page.getByRole('heading', { name: `${word} upper`, level: 1 }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('heading', { name: `${word} lower`, level: 1 }).waitFor()
  await page.keyboard.press('[')
  await page.getByRole('heading', { name: `${word} upper`, level: 1 }).waitFor()
  expect(faults).toEqual([])
})

test('Enter on a card of the inbox opens its session', async () => {
  const { id } = await makeSession('Opened from its card')
  await ask(id, `Go on with ${id}?`)
  const { page, goto, faults } = await openPage()
  await goto(`/inbox#session-${id}`)
  await page.locator(`#session-${id}[data-cursor]`).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Opened from its card', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/sessions/${id}`)
  expect(faults).toEqual([])
})
