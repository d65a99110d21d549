import { beforeAll, describe, expect, test, vi } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'

serverOfFile()

type Costs = { top_sessions: { title: string }[] }

beforeAll(async () => {
  const { call } = sharedServer()
  for (const [title, usage] of [
    ['Measure the parser', 'usage 400000 20000'],
    ['Tidy the release notes', 'usage 90000 8000'],
  ])
    await call('POST', '/sessions', { prompt: usage, title, agent_root: 'sample' })
  const areCounted = async () => {
    const { top_sessions } = await call<Costs>('GET', '/costs?days=7')
    return top_sessions.length === 2
  }
  await vi.waitUntil(areCounted, { timeout: 300_000, interval: 100 })
})

test('shows what was spent by day, root, model, session and feature, with the window and the grouping in the address', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/costs')
  await page.getByRole('list', { name: 'Sessions that cost most' }).getByText('Measure the parser').waitFor()
  // The demo's model has no price, so its tokens are shown.
  await page.getByRole('note').getByText('demo', { exact: true }).waitFor()
  await page.getByRole('img', { name: /Tokens by day: 31 bars/ }).waitFor()

  await page.getByRole('button', { name: '7 d' }).click()
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('button', { name: 'Dollars', exact: true }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?days=7&by=model&unit=dollars')
  await page.getByRole('img', { name: 'Costs by day: 8 bars' }).waitFor()
  await page.getByRole('button', { name: 'Tokens', exact: true }).click()
  await page.reload()
  await expect.poll(() => page.getByRole('button', { name: '7 d' }).getAttribute('aria-pressed')).toBe('true')

  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('table', { name: 'Tokens by day' }).getByRole('columnheader', { name: 'Total' }).waitFor()

  await page.getByRole('list', { name: 'Costs by root' }).getByRole('button', { name: 'sample' }).click()
  await page.getByText('Only the root').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('root')).toBe('sample')
  await page.getByRole('button', { name: 'Show all costs' }).click()
  await page.getByText('Only the root').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('adds a budget, changes its limit, shows what it holds, and deletes it', async () => {
  const { call } = sharedServer()
  const { page, faults, goto } = await openPage()
  await goto('/costs')
  await page.getByRole('button', { name: 'Add a budget' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a budget' })
  await dialog.getByLabel('Limits').selectOption('One root')
  await dialog.getByLabel('Root', { exact: true }).selectOption('sample')
  await dialog.getByLabel('Each').selectOption('Month (UTC)')
  await dialog.getByLabel('Counted in').selectOption('Tokens')
  await dialog.getByLabel('Limit', { exact: true }).fill('0')
  await dialog.getByRole('button', { name: 'Add the budget' }).click()
  // The API's own sentence about the limit.
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Limit', { exact: true }).fill('1000')
  await dialog.getByRole('button', { name: 'Add the budget' }).click()
  await page.getByText('The budget is in force').waitFor()
  const budgets = page.getByRole('list', { name: 'Budgets' })
  await budgets.getByText('used up').waitFor()

  await call('POST', '/sessions', {
    prompt: 'say later',
    title: 'Waits for the budget',
    agent_root: 'sample',
    priority_class: 'spot',
  })
  await page.reload()
  await page.getByRole('list', { name: 'Held sessions' }).getByText('Waits for the budget').waitFor()
  await screenshot(page, 'costs-budget-held')

  const menu = budgets.getByRole('button', { name: 'Actions of the budget of root sample' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Change the limit' }).click()
  await page.getByRole('dialog').getByLabel('Limit', { exact: true }).fill('900000000')
  await page.getByRole('button', { name: 'Save the limit' }).click()
  await budgets.getByText('within the limit').waitFor()

  await menu.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the budget' }).click()
  await page.getByText('Nothing limits what is spent').waitFor()
  expect(faults).toEqual([])
})

test('reads all history again and says how far it is', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/costs')
  await page.getByRole('button', { name: 'Read all history again' }).click()
  await page.getByText(/Last sweep: .* sessions/).waitFor()
  await page.getByText('A sweep over all transcripts has finished.').waitFor()
  expect(faults).toEqual([])
})

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('the costs page with figures has no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    await goto('/costs')
    await page.getByText('Measure the parser').first().waitFor()
    await screenshot(page, `costs-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
