import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

/** The scripts that the page downloaded so far and their kB as they were sent, without headers. Browsers get brotli from us. */
async function scripts(page: Page): Promise<{ count: number; kB: number }> {
  const sizes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
  )
  return { count: sizes.length, kB: sizes.reduce((sum, size) => sum + size, 0) / 1000 }
}

/** Once no further part of the page is on its way. */
async function settledKb(page: Page): Promise<number> {
  await page.getByText('live', { exact: true }).waitFor()
  let last = { count: 0, kB: 0 }
  let calm = 0
  await expect
    .poll(
      async () => {
        const now = await scripts(page)
        calm = now.count === last.count ? calm + 1 : 0
        last = now
        return calm
      },
      { interval: 2_000 },
    )
    .toBeGreaterThanOrEqual(3)
  return last.kB
}

test('a first visit downloads at most 140 kB of scripts for the board, with all of its parts, and 50 kB more for a session', async () => {
  const { id } = await makeSession('Visited first')
  const board = await openPage()
  await board.goto('/')
  await board.page.getByRole('textbox', { name: 'Start a session: what should the agent do?' }).waitFor()
  const boardKb = await settledKb(board.page)
  expect(boardKb).toBeGreaterThan(50)
  expect(boardKb).toBeLessThanOrEqual(140)

  const session = await openPage()
  await session.goto(`/sessions/${id}`)
  await session.page.getByRole('tab', { name: /^Queue/ }).waitFor()
  expect((await settledKb(session.page)) - boardKb).toBeLessThanOrEqual(50)
})

test('a browser keeps the built scripts and styles of a page for a year, and asks for none of them at the second visit', async () => {
  const { id } = await makeSession('Visited twice')
  const { page, context, goto } = await openPage()
  const kept = new Map<string, string | undefined>()
  page.on('response', (answer) => {
    if (new URL(answer.url()).pathname.startsWith('/assets/')) kept.set(answer.url(), answer.headers()['cache-control'])
  })
  await goto(`/sessions/${id}`)
  await settledKb(page)
  expect(kept.size).toBeGreaterThan(10)
  expect([...kept].filter(([, value]) => value !== 'public, max-age=31536000, immutable')).toEqual([])

  const second = await context.newPage()
  await second.goto(`/sessions/${id}`)
  expect(await settledKb(second)).toBeGreaterThan(50)
  const asked = await second.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\/assets\//.test(name))
      .filter((entry) => (entry as PerformanceResourceTiming).transferSize > 0)
      .map(({ name }) => name),
  )
  expect(asked).toEqual([])
})
