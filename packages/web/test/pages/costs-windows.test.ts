import { beforeAll, expect, test, vi } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

type Costs = { totals: { tokens: number }; top_sessions: { title: string }[] }
type Budgets = { budgets: { scope: string; session_id: number | null; limit_usd: number | null }[] }

let spender = 0

beforeAll(async () => {
  const { call } = sharedServer()
  for (const [title, prompt] of [
    ['Measures the parser', 'usage 400000 20000'],
    ['Tidies the notes', 'usage 90000 8000'],
  ]) {
    const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
      prompt,
      title,
      agent_root: 'sample',
    })
    spender ||= session.id
  }
  const areCounted = async () => (await call<Costs>('GET', '/costs?days=1')).top_sessions.length === 2
  await vi.waitUntil(areCounted, { timeout: 300_000, interval: 100 })
})

test('each window asks for its days and stands in the address', async () => {
  const { page, faults, goto } = await openPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/v1/costs')) asked.push(url.searchParams.get('days') ?? '')
  })
  await goto('/costs')
  await page.getByRole('img', { name: 'Tokens by day: 31 bars' }).waitFor()
  for (const { label, days } of [
    { label: '24 h', days: 1 },
    { label: '7 d', days: 7 },
    { label: '90 d', days: 90 },
    { label: '365 d', days: 365 },
    { label: '30 d', days: 30 },
  ]) {
    await page.getByRole('button', { name: label, exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('days')).toBe(String(days))
    await page.getByRole('img', { name: new RegExp(`^Tokens by day: ${days + 1} bars`) }).waitFor()
    await expect.poll(() => asked).toContain(String(days))
    const pressed = page.getByRole('group', { name: 'Window' }).locator('[aria-pressed=true]')
    expect(await pressed.allInnerTexts()).toEqual([label])
    await screenshot(page, `costs-${days}-days`)
    expect(await overflows(page)).toEqual([])
  }
  expect(faults).toEqual([])
})

test('the chart is grouped by source only where it shows dollars', async () => {
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/costs?unit=dollars')
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('by')).toBe('source')
  await page.getByRole('button', { name: 'Tokens', exact: true }).click()
  await page.getByRole('button', { name: 'Source', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('img', { name: /^Tokens by day/ }).waitFor()
  await expect
    .poll(() => page.getByRole('group', { name: 'Group by' }).locator('[aria-pressed=true]').allInnerTexts())
    .toEqual(['Root'])
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('the costs of one session are shown alone, and those of all again', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/costs?session=${spender}`)
  await page.getByText('Only session').waitFor()
  const sessions = page.getByRole('list', { name: 'Sessions that cost most' })
  await sessions.getByText('Measures the parser').waitFor()
  expect(await sessions.getByText('Tidies the notes').count()).toBe(0)
  await page.getByRole('button', { name: 'Show all costs' }).click()
  await sessions.getByText('Tidies the notes').waitFor()
  await sessions.getByRole('link', { name: 'Measures the parser' }).click()
  await page.waitForURL(`**/sessions/${spender}`)
  expect(faults).toEqual([])
})

test('budgets of the whole service and of one session are added in dollars, and one is called off', async () => {
  const { call } = sharedServer()
  const budgets = async () => (await call<Budgets>('GET', '/budgets')).budgets
  const { page, faults, goto } = await openPage()
  await goto('/costs')
  const dialog = page.getByRole('dialog', { name: 'Add a budget' })
  const add = dialog.getByRole('button', { name: 'Add the budget' })
  await page.getByRole('button', { name: 'Add a budget' }).click()
  await dialog.getByLabel('Limit', { exact: true }).fill('25')
  await add.click()
  await dialog.waitFor({ state: 'detached' })
  expect(await budgets()).toMatchObject([{ scope: 'service', limit_usd: 25 }])
  await page.getByRole('button', { name: 'Add a budget' }).click()
  await dialog.getByLabel('Limits').selectOption('One session')
  await dialog.getByLabel('Session', { exact: true }).fill(String(spender))
  await dialog.getByLabel('Limit', { exact: true }).fill('3')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await budgets()).toHaveLength(1)
  await page.getByRole('button', { name: 'Add a budget' }).click()
  await dialog.getByLabel('Limits').selectOption('One session')
  await dialog.getByLabel('Session', { exact: true }).fill(String(spender))
  await dialog.getByLabel('Limit', { exact: true }).fill('3')
  await screenshot(page, 'costs-budget-of-a-session')
  expect(await axe(page)).toEqual([])
  await add.click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('list', { name: 'Budgets' }).getByRole('listitem').count()).toBe(2)
  expect(await budgets()).toContainEqual(
    expect.objectContaining({ scope: 'session', session_id: spender, limit_usd: 3 }),
  )
  expect(faults).toEqual([])
})
