import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `say Line ${index + 1}.`).join('\n')

type Read = { entries: { sequence: number }[]; total: number }

/** Changes the first page of the transcript that is read. */
async function changeFirstRead(page: Page, change: (read: Read) => Partial<Read>): Promise<void> {
  let isFirst = true
  await page.route(/\/entries\?/, async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    const response = await route.fetch()
    const read = await response.json()
    await route.fulfill({ response, json: { ...read, ...change(read) } })
  })
}

const fromEnd = (page: Page): Promise<number> =>
  page
    .getByRole('region', { name: 'Transcript' })
    .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)

/** Leaves the page time to do what it would do at once. */
const drawTimes = (page: Page, times: number): Promise<void> =>
  page.evaluate(async (left) => {
    for (; left > 0; left--) await new Promise((resolve) => requestAnimationFrame(resolve))
  }, times)

test('find marks what it finds after a letter that is longer in lower case', async () => {
  const { id } = await makeSession('Finds in Turkish', 'say İstanbul')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}?find=BUL`)
  await page.getByRole('search').getByText('2 of 2', { exact: true }).waitFor()
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))
  await expect.poll(marked).toEqual(['bul', 'bul'])
  expect(faults).toEqual([])
})

test('earlier entries that cannot be read are not asked for again until the reader asks', async () => {
  const { id } = await makeSession('Earlier entries are missing', lines(8))
  const { page, goto, faults } = await openPage()
  // The server gives pages of three entries, so that eight are enough for this.
  await page.route(/\/entries\?/, (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('limit', '3')
    return route.continue({ url: url.href })
  })
  let asked = 0
  const earlier = /\/entries\?.*before=/
  const refusal = { error: 'Not Found', message: 'not there now', messages: ['not there now'] }
  await page.route(earlier, (route) => {
    asked += 1
    return route.fulfill({ status: 404, json: refusal })
  })
  await goto(`/sessions/${id}`)
  const alert = page.getByRole('alert').filter({ hasText: 'not there now' })
  await alert.waitFor()
  await drawTimes(page, 60)
  // Once more for each read that succeeds meanwhile, such as when the page is told that its stream is open.
  expect(asked).toBeLessThan(5)
  await page.unroute(earlier)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('article', { name: 'Agent' }).getByText('Line 1.', { exact: true }).waitFor()
  expect(await alert.count()).toBe(0)
  expect(faults).toEqual([])
})

test('however often the agent writes, one read of what is new is underway and one is due', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Writes faster than it is read')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByText('starts the next turn now').waitFor()
  let read = 0
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/entries\?.*after=/, async (route) => {
    read += 1
    await isReleased
    await route.continue()
  })
  const writes = Array.from({ length: 6 }, (_, index) => `say Part ${index + 1}.\nsleep 0.4`).join('\n')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: writes })
  await page.getByRole('button', { name: '2 turns' }).waitFor()
  await page.getByText('starts the next turn now').waitFor()
  expect(read).toBe(1)
  release()
  await page.getByRole('article', { name: 'Agent' }).getByText('Part 6.').waitFor()
  await drawTimes(page, 30)
  // More than two only for events that came after the release.
  expect(read).toBeLessThan(5)
  expect(faults).toEqual([])
})

test('a session that is opened at its end is followed, also if its agent writes while it is opened', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Written while opened', lines(40))
  const { page, goto, faults } = await openPage()
  await changeFirstRead(page, ({ entries, total }) => ({ entries: entries.slice(0, -10), total: total - 10 }))
  await goto(`/sessions/${id}`)
  const messages = page.getByRole('article', { name: 'Agent' })
  await messages.getByText('Line 40.', { exact: true }).waitFor()
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(48)
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say Written last.' })
  await messages.getByText('Written last.', { exact: true }).waitFor()
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(48)
  expect(await page.getByRole('button', { name: /jump to end/i }).count()).toBe(0)
  expect(faults).toEqual([])
})

test('the way to the end is offered when entries that were loaded below moved it out of sight', async () => {
  const { id } = await makeSession('Longer than a page', lines(40))
  const { page, goto, faults } = await openPage()
  await changeFirstRead(page, ({ entries }) => ({ entries: entries.slice(0, 3) }))
  await goto(`/sessions/${id}`)
  const messages = page.getByRole('article', { name: 'Agent' })
  // Read by itself, as the end of what was read first was in sight.
  await messages.getByText('Line 5.', { exact: true }).waitFor()
  await expect.poll(() => fromEnd(page)).toBeGreaterThan(48)
  await page.getByRole('button', { name: 'Jump to end' }).click()
  await messages.getByText('Line 40.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Jump to end' }).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a session that asked while its tab was hidden counts as seen when the tab is looked at, once', async () => {
  const { id } = await makeSession('Asked in a hidden tab')
  const { page, goto, faults } = await openPage()
  await page.addInitScript(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  })
  let seen = 0
  await page.route('**/mark_seen', (route) => {
    seen += 1
    return route.continue()
  })
  await goto(`/sessions/${id}`)
  await page.getByText('starts the next turn now').waitFor()
  await drawTimes(page, 10)
  expect(seen).toBe(0)
  const look = () =>
    page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'visible' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
  const answered = page.waitForResponse(/\/mark_seen$/)
  await look()
  expect((await answered).status()).toBe(200)
  await look()
  await drawTimes(page, 10)
  expect(seen).toBe(1)
  expect(faults).toEqual([])
})
