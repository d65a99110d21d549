import { expect, test } from 'vitest'
import {
  axe,
  openPage,
  overflows,
  pressInSequence,
  screenshot,
  sharedServer,
  takeFromPalette,
} from '../support/browser.ts'

test('the palette finds a session by letters of its title, and opens pages, all by the keyboard', async () => {
  const title = `Paint the signal box ${Date.now()}`
  await sharedServer().call('POST', '/sessions', { prompt: 'say Hello', title, agent_root: 'sample' })
  const { page, faults, goto } = await openPage()
  await goto('/inbox')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).waitFor()
  await page.getByRole('option', { name: 'New session' }).waitFor()
  await screenshot(page, 'palette')
  expect(await axe(page)).toEqual([])

  await page.keyboard.type(title)
  await page.locator('[role=option][data-active-item]', { hasText: new RegExp(`^${title}`) }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: title }).waitFor()

  await takeFromPalette(page, 'cost', 'Costs')
  await page.getByRole('heading', { name: 'Costs' }).waitFor()
  expect(faults).toEqual([])
})

test('keys open pages, ? lists them, and a field keeps what is typed into it', async () => {
  const { page, goto } = await openPage()
  await goto('/inbox')
  await pressInSequence(page, 'g', 't')
  await page.getByRole('heading', { name: 'Triggers' }).waitFor()

  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys' })
  await help.getByText('Inbox').waitFor()
  await screenshot(page, 'keys')
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })

  await page.goto('/sessions/new')
  const prompt = page.getByLabel('What should the agent do?')
  await prompt.fill('')
  await prompt.pressSequentially('g t ? c')
  await expect.poll(() => prompt.inputValue()).toBe('g t ? c')
  expect(new URL(page.url()).pathname).toBe('/sessions/new')
})

test('keys without Ctrl or Alt can be turned off', async () => {
  const { page, goto } = await openPage()
  await goto('/inbox')
  await page.keyboard.press('?')
  await page.getByRole('switch', { name: 'Keys without Ctrl or Alt' }).uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).waitFor()
  expect(await page.getByRole('dialog', { name: 'Keys' }).count()).toBe(0)
})

test('a chosen theme survives a reload, and overrules the system', async () => {
  const { page, goto } = await openPage({ theme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await goto('/inbox')
  const light = await background()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.reload()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await expect.poll(background).toBe(dark)
})

test('a phone has Inbox, Board, New and More, and More leads to every other page', async () => {
  const { page, goto } = await openPage({ size: 'phone' })
  await goto('/inbox')
  await page.getByRole('button', { name: 'More' }).click()
  const sheet = page.getByRole('dialog', { name: 'More' })
  await sheet.getByRole('link', { name: 'Costs' }).waitFor()
  await screenshot(page, 'phone-more')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await sheet.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await sheet.waitFor({ state: 'detached' })
})

test('an agent is asked about the page that is open', async () => {
  const { page, goto } = await openPage()
  await goto('/costs')
  await page.getByRole('button', { name: 'Ask an agent about this page' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('say Why so much?')
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('status').getByRole('link', { name: 'Open' }).click()
  await page
    .getByText(/Asked on the dashboard's page “Costs/)
    .first()
    .waitFor()
})

test('on a phone an agent is asked about the page from the menu More, on a root that the person sees and can change', async () => {
  const { page, goto, faults } = await openPage({ size: 'phone' })
  await goto('/costs')
  await page.getByRole('button', { name: 'More' }).click()
  const more = page.getByRole('dialog', { name: 'More' })
  await more.getByRole('button', { name: 'Ask an agent about this page' }).click()
  await more.waitFor({ state: 'detached' })
  const dialog = page.getByRole('dialog', { name: 'Ask an agent about this page' })
  await dialog.getByText('The agent is told that you asked on “Costs').waitFor()
  await expect.poll(() => dialog.getByLabel('Root').inputValue()).not.toBe('')
  expect(faults).toEqual([])
})

test('the theme is chosen in the palette', async () => {
  const { page, goto } = await openPage({ theme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await goto('/inbox')
  const light = await background()
  await takeFromPalette(page, 'Dark theme', 'Dark theme')
  await expect.poll(background).not.toBe(light)
  await takeFromPalette(page, 'Light theme', 'Light theme')
  await expect.poll(background).toBe(light)
  await takeFromPalette(page, 'Dark theme', 'Dark theme')
  await expect.poll(background).not.toBe(light)
  await takeFromPalette(page, "The system's theme", "The system's theme")
  await expect.poll(background).toBe(light)
})

test('the first key press into a page offers to skip to what is in it', async () => {
  const { page, goto } = await openPage()
  await goto('/inbox')
  const skip = page.getByRole('link', { name: 'Skip to the page' })
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab')
      return skip.evaluate((link) => link === document.activeElement)
    })
    .toBe(true)
  expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
})
