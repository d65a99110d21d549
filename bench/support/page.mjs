import { createRequire } from 'node:module'
import { benchKey } from './host.mjs'

/** The tests of the pages bring it. */
const { chromium } = createRequire(new URL('../../packages/web/package.json', import.meta.url))('playwright-core')

const privatePath = `/web/~${'b'.repeat(32)}`
const viewport = { width: 1280, height: 800 }

/** Opens a browser with one page that is signed in to the host. `inColdPage` works with another that has never been there. */
export async function openBenchPage(host) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  const { page } = await signedInPage(browser, host)
  const inColdPage = async (work) => {
    const cold = await signedInPage(browser, host)
    try {
      return await work(cold.page)
    } finally {
      await cold.context.close()
    }
  }
  return { page, inColdPage, close: () => browser.close() }
}

/** In a context of its own, with nothing of the pages in its cache: the sign-in is a request without a page. */
async function signedInPage(browser, host) {
  const context = await browser.newContext({ viewport })
  await context.addInitScript((path) => {
    localStorage['yardmaster.private-path'] ??= path
  }, privatePath)
  const answer = await context.request.post(`${host.web.url}${privatePath}/session`, {
    headers: { origin: host.web.url, 'sec-fetch-site': 'same-origin' },
    data: { key: benchKey, name: 'Ada' },
  })
  if (!answer.ok()) throw new Error(`the sign-in was refused with ${answer.status()}`)
  return { context, page: await context.newPage() }
}

/** Counts the tasks of the page above 50 ms while the work goes on. */
export async function longTasksDuring(page, work) {
  await page.evaluate(() => {
    window.longTasks = []
    window.longTaskObserver = new PerformanceObserver((list) =>
      window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    )
    window.longTaskObserver.observe({ type: 'longtask' })
  })
  await work()
  const tasks = await page.evaluate(() => {
    window.longTaskObserver.disconnect()
    return window.longTasks
  })
  return { count: tasks.length, longest: Math.max(0, ...tasks) }
}

/** Prints a figure with its target, and fails the benchmark if it is missed. */
export function report(what, value, unit, target, digits = 0) {
  console.log(`${what} ${value.toFixed(digits)} ${unit} (target: at most ${target})`)
  if (value > target) process.exitCode = 1
}

/** Prints a time beside the budget that the pages were designed for. It depends on the machine, so missing it fails nothing. */
export function tell(what, value, unit, budget) {
  console.log(`${what} ${value.toFixed(1)} ${unit} (budget: ${budget}, not checked)`)
}

/** Calls the work so many times a second for some seconds. */
export async function paced({ perSecond, seconds }, work) {
  const begun = performance.now()
  for (let round = 0; round < perSecond * seconds; round += 1) {
    await work(round)
    const wait = begun + ((round + 1) * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
}
