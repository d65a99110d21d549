import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { axe, goOn, keepBack, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

type Outcomes = { outcome_analyses: { session_id: number }[] }

let first = 0
let second = 0
let day = ''

async function archived(title: string): Promise<number> {
  const { call } = sharedServer()
  type Shown = { session: { id: number; status: string } }
  const { session } = await call<Shown>('POST', '/sessions', { prompt: 'say done', title, agent_root: 'sample' })
  const status = async () => (await call<Shown>('GET', `/sessions/${session.id}`)).session.status
  await vi.waitUntil(async () => (await status()) === 'needs_input', { timeout: 300_000, interval: 100 })
  await call('POST', `/sessions/${session.id}/archive`)
  return session.id
}

async function analyse(session_id: number, kind: 'Success' | 'Failure'): Promise<void> {
  const root = {
    id: 'S0',
    trigger: { kind: 'New', source: 'user' },
    goal: { text: 'Say done', kind: 'Action' },
    outcome: { kind, explanation: 'It was said.' },
    meta: { event_range: ['e1', 'e2'], wall_clock_s: 1, tokens_in: 1, tokens_out: 1 },
    children: [],
  }
  await sharedServer().call('POST', '/outcome_analyses', { session_id, root })
}

async function analysed(): Promise<number[]> {
  const { outcome_analyses } = await sharedServer().call<Outcomes>('GET', '/outcome_analyses')
  return outcome_analyses.map(({ session_id }) => session_id)
}

beforeAll(async () => {
  first = await archived('The first that said done')
  second = await archived('The second that said done')
  await analyse(first, 'Success')
  await analyse(second, 'Failure')
  type Shown = { session: { created_at: string } }
  const { session } = await sharedServer().call<Shown>('GET', `/sessions/${first}`)
  day = session.created_at.slice(0, 10)
})

/** A day in UTC, so many after another. */
function later(than: string, days: number): string {
  return new Date(Date.parse(than) + days * 86_400_000).toISOString().slice(0, 10)
}

const rowOf = (page: Page, id: number) =>
  page.getByRole('table', { name: 'Outcomes' }).locator(`a[href="/outcomes/${id}"]`)

test('the outcomes are narrowed to sessions of some days, of a runtime and of a model', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/outcomes')
  await rowOf(page, first).waitFor()
  expect(await rowOf(page, first).innerText()).toBe('The first that said done')
  const [from, to] = [page.getByLabel('Created from'), page.getByLabel('Created to')]
  await from.fill(later(day, 2))
  await page.getByText('No analysis matches these filters').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(later(day, 2))
  await from.fill(day)
  await rowOf(page, first).waitFor()
  await to.fill(later(day, -1))
  await page.getByText('No analysis matches these filters').waitFor()
  await to.fill(later(day, 1))
  await rowOf(page, second).waitFor()
  await page.reload()
  await expect.poll(() => from.inputValue()).toBe(day)
  await expect.poll(() => to.inputValue()).toBe(later(day, 1))
  await page.getByLabel('Runtime', { exact: true }).selectOption('demo')
  await expect.poll(() => new URL(page.url()).searchParams.get('runtime')).toBe('demo')
  await page.getByLabel('Model', { exact: true }).selectOption('demo')
  await expect.poll(() => new URL(page.url()).searchParams.get('model')).toBe('demo')
  await rowOf(page, first).waitFor()
  await page.getByLabel('Outcome', { exact: true }).selectOption('Failure')
  await rowOf(page, first).waitFor({ state: 'detached' })
  await rowOf(page, second).waitFor()
  await screenshot(page, 'outcomes-filtered')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(faults).toEqual([])
})

test('the outcomes are read page by page', async () => {
  const { page, faults, goto } = await openPage()
  // The server gives pages of one session, so that two are enough for this.
  await page.route('**/web/*/v1/outcome_analyses?*per_page=50*', (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('per_page', '1')
    return route.continue({ url: url.href })
  })
  await goto('/outcomes')
  const [newest = 0, next = 0] = await analysed()
  await rowOf(page, newest).waitFor()
  await page.getByText(/^1 to 1 of \d+$/).waitFor()
  expect(await page.getByRole('button', { name: 'Back', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await rowOf(page, next).waitFor()
  await rowOf(page, newest).waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).search).toBe('?page=2')
  // The filters offer what no shown session has: here none is shown.
  await goto('/outcomes?from=2001-01-01&to=2001-01-02')
  await page.getByText('No analysis matches these filters').waitFor()
  await page.getByLabel('Runtime', { exact: true }).selectOption('demo')
  await page.getByLabel('Model', { exact: true }).selectOption('demo')
  await page.getByLabel('Root', { exact: true }).selectOption('sample')
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({ from: '2001-01-01', to: '2001-01-02', runtime: 'demo', model: 'demo', root: 'sample' })
  await goto('/outcomes?page=2')
  await rowOf(page, next).waitFor()
  // Another filter begins with its first page.
  await page.getByLabel('Root', { exact: true }).selectOption('sample')
  await expect.poll(() => new URL(page.url()).search).toBe('?root=sample')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await rowOf(page, newest).waitFor()
  expect(faults).toEqual([])
})

test('all archived sessions without an analysis are analysed, under filters or without one', async () => {
  const { call } = sharedServer()
  const left = await archived('Left without an analysis')
  const { page, faults, goto } = await openPage()
  await goto('/outcomes')
  const dialog = page.getByRole('dialog', { name: 'Analyse sessions' })
  const start = dialog.getByRole('button', { name: 'Start' })
  await page.getByRole('button', { name: 'Analyse sessions' }).first().click()
  await dialog.getByText(/archived sessions that have no analysis/).waitFor()
  await dialog.getByLabel('Created from').fill(later(day, 2))
  await start.click()
  await dialog.getByRole('alert').getByText('No archived session without an analysis matches the filters').waitFor()
  await dialog.getByLabel('Created from').fill(day)
  await dialog.getByLabel('Created to').fill(later(day, 1))
  await dialog.getByLabel('Root').fill('sample')
  await dialog.getByLabel('At a time').fill('2')
  await screenshot(page, 'outcomes-analyse-all')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await start.click()
  await page.getByText(/^Done: 1 saved/).waitFor()
  const batch = new URL(page.url()).searchParams.get('batch')
  type Batch = { analysis_batch: { concurrency: number; items: { session_id: number }[] } }
  const { analysis_batch } = await call<Batch>('GET', `/outcome_analyses/batches/${batch}`)
  expect(analysis_batch.concurrency).toBe(2)
  expect(analysis_batch.items.map(({ session_id }) => session_id)).toEqual([left])
  await rowOf(page, left).waitFor()
  expect(await analysed()).toContain(left)

  const another = await archived('Left without an analysis too')
  await page.getByRole('button', { name: 'Analyse sessions' }).first().click()
  await start.click()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, another).waitFor()
  expect(await analysed()).toContain(another)
  expect(faults).toEqual([])
})

test('one session is analysed again, and the page leads to the session and to the one that analysed it', async () => {
  const { call } = sharedServer()
  type Shown = { outcome_analysis: { id: number; analyzer_session_id: number | null } }
  const read = async () => (await call<Shown>('GET', `/outcome_analyses/${first}`)).outcome_analysis
  const before = await read()
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto(`/outcomes/${first}`)
  await page.getByRole('heading', { name: 'Outcome of The first that said done' }).waitFor()
  await page.getByRole('button', { name: 'Analyse again' }).click()
  await page.getByText(/^Done: 1 saved/).waitFor()
  const after = await read()
  expect(after.id).not.toBe(before.id)
  const by = page.getByRole('link', { name: `by session ${after.analyzer_session_id}`, exact: true })
  await by.waitFor()
  await page.getByRole('button', { name: 'Hide the progress' }).click()
  await page.getByText(/^Done: 1 saved/).waitFor({ state: 'detached' })
  await by.click()
  await page.waitForURL(`**/sessions/${after.analyzer_session_id}`)
  await goto(`/outcomes/${first}`)
  await page.getByRole('link', { name: 'Open the session' }).click()
  await page.waitForURL(`**/sessions/${first}`)
  expect(faults).toEqual([])
})

test('an outcome is not shown under the address of another one that is being read', async () => {
  const { page, faults, goto } = await openPage()
  await goto(`/outcomes/${first}`)
  await page.getByRole('heading', { name: 'Outcome of The first that said done' }).waitFor()
  const answer = await keepBack(page, `**/v1/outcome_analyses/${second}`)
  await goOn(page, `/outcomes/${second}`)
  await page.getByRole('heading', { name: `Outcome of session ${second}`, exact: true }).waitFor()
  expect(await page.getByRole('heading', { name: 'Segments' }).count()).toBe(0)
  answer()
  await page.getByRole('heading', { name: 'Outcome of The second that said done' }).waitFor()
  expect(faults).toEqual([])
})

test('days are named as those of UTC, and rates that cannot be read say why', async () => {
  const { page, goto } = await openPage()
  await goto('/outcomes')
  await page.getByRole('heading', { name: 'Rates by day (UTC)' }).waitFor()
  await page.getByLabel('Created from (UTC)').waitFor()
  await page.getByRole('button', { name: 'Analyse sessions' }).first().click()
  await page.getByRole('dialog').getByLabel('Created to (UTC)').waitFor()
  // Only the rates read a hundred at a time.
  await page.route('**/web/*/v1/outcome_analyses?*per_page=100*', (route) =>
    route.fulfill({ status: 422, json: { error: 'Invalid', message: 'No rates', messages: ['The rates are out'] } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText('The rates are out').waitFor()
  await rowOf(page, first).waitFor()
})
