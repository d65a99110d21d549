import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { completionsOf, tokenAt } from '../../src/features/sessions/slash-commands.ts'
import { axe, openPage, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const promptLabel = 'What should the agent do?'

/** What is drawn outside of the window cannot be read. */
async function isInWindow(page: Page): Promise<boolean> {
  const box = await page.getByRole('listbox', { name: 'Commands and skills' }).boundingBox()
  const size = page.viewportSize()
  if (!box || !size) return false
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height
}

describe.each([
  { size: 'desktop', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const)('on a $size in the $theme theme', ({ size, theme }) => {
  test('a slash in a new prompt offers the skills that the root gives its sessions', async () => {
    const { page, faults, goto } = await openPage({ size, theme })
    await goto('/sessions/new')
    const prompt = page.getByLabel(promptLabel)
    await prompt.fill('/')
    await page.getByRole('option', { name: /\/look-around/ }).waitFor()
    await screenshot(page, `slash-new-${size}-${theme}`)
    await expect.poll(() => isInWindow(page)).toBe(true)
    expect(await axe(page)).toEqual([])
    await page.getByRole('option', { name: /\/look-around/ }).click()
    await expect.poll(() => prompt.inputValue()).toBe('/look-around ')
    await expect.poll(() => prompt.evaluate((field) => document.activeElement === field)).toBe(true)
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  test('a slash in a follow-up offers the skills of the session', async () => {
    const { id } = await makeSession('Completes a slash')
    const { page, faults, goto } = await openPage({ size, theme })
    await goto(`/sessions/${id}`)
    const field = page.getByLabel('Message', { exact: true })
    await field.fill('/lo')
    await page.getByRole('option', { name: /\/look-around/ }).waitFor()
    await screenshot(page, `slash-follow-up-${size}-${theme}`)
    await expect.poll(() => isInWindow(page)).toBe(true)
    expect(await axe(page)).toEqual([])
    await field.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('/look-around ')
    expect(faults).toEqual([])
  })
})

test('arrow keys move through the options, Enter takes one without sending, and Escape closes the list until more is typed', async () => {
  const { page, goto } = await openPage()
  await goto('/sessions/new')
  await page.getByLabel('Runtime').selectOption('runtime_alpha')
  await page.getByText('Title, goal, class and more').click()
  await page.getByRole('switch', { name: /Run slash commands/ }).check()
  const prompt = page.getByLabel(promptLabel)
  await prompt.fill('/co')
  const field = page.getByRole('combobox', { name: promptLabel, expanded: true })
  await page.getByRole('option', { name: /^\/compact/, selected: true }).waitFor()
  await field.press('ArrowDown')
  const context = page.getByRole('option', { name: /^\/context/, selected: true })
  await context.waitFor()
  await expect.poll(() => field.getAttribute('aria-activedescendant')).toBe(await context.getAttribute('id'))
  await expect.poll(() => field.getAttribute('aria-controls')).toBe(await page.getByRole('listbox').getAttribute('id'))
  await screenshot(page, 'slash-commands-of-the-program')
  await field.press('ArrowDown')
  await page.getByRole('option', { name: /^\/compact/, selected: true }).waitFor()
  await field.press('ArrowUp')
  await context.waitFor()
  await prompt.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  await expect
    .poll(() => page.getByRole('textbox', { name: promptLabel }).getAttribute('aria-activedescendant'))
    .toBeNull()
  await prompt.press('n')
  await context.waitFor()
  await prompt.press('Enter')
  await expect.poll(() => prompt.inputValue()).toBe('/context ')
  expect(new URL(page.url()).pathname).toBe('/sessions/new')
})

test('a session is created with commands only where the switch is on and its runtime has commands', async () => {
  const { call } = sharedServer()
  const { page, goto } = await openPage()
  await goto('/sessions/new')
  await page.getByLabel('Runtime').selectOption('runtime_alpha')
  await page.getByText('Title, goal, class and more').click()
  await page.getByRole('switch', { name: /Run slash commands/ }).check()
  await page.getByLabel('Runtime').selectOption('demo')
  await page.getByRole('switch', { name: /Run slash commands/ }).waitFor({ state: 'detached' })
  await page.getByLabel(promptLabel).fill('say No command')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL(/\/sessions\/\d+$/)
  const path = new URL(page.url()).pathname
  const { session } = await call<{ session: { config: Record<string, unknown> } }>('GET', path)
  expect(session.config).not.toHaveProperty('cli_commands')
})

test('Enter sends a prompt whose command is whole', async () => {
  const { id } = await makeSession('Sends a whole command')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const field = page.getByLabel('Message', { exact: true })
  await field.fill('/look')
  await page.getByRole('option', { name: /\/look-around/ }).waitFor()
  await field.pressSequentially('-around')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  await field.press('Enter')
  await page.getByRole('status').getByText('Delivered').waitFor()
})

test('only the beginning of a prompt is a command', () => {
  expect(tokenAt('/lo', 3)).toBe('/lo')
  expect(tokenAt('/look at it', 3)).toBe('/lo')
  expect(tokenAt('/look at it', 8)).toBeUndefined()
  expect(tokenAt('see /lo', 7)).toBeUndefined()
  expect(tokenAt('/usr/local', 6)).toBeUndefined()
})

test('offers a skill by the name that the agent knows, and never one that is not for people or not of the session', () => {
  const skill = (id: string, user_invocable = true) => ({ id, title: id, description: '', user_invocable })
  const given = {
    skills: ['@web/review', 'secret'],
    plugins: ['kit'],
    catalog: {
      skills: [skill('@web/review'), skill('secret', false), skill('preview'), skill('review-all')],
      plugins: [{ id: 'kit', skills: ['preview'] }],
    },
    commands: [],
  }
  const names = (token: string) => completionsOf(token, given).map(({ name }) => name)
  expect(names('/')).toEqual(['preview', 'review'])
  expect(names('/rev')).toEqual(['review', 'preview'])
  expect(names('/review')).toEqual([])
})
