import { createRequire } from 'node:module'
import { benchKey } from './host.mjs'

/** The tests of the pages bring it. */
const { chromium } = createRequire(new URL('../../packages/web/package.json', import.meta.url))('playwright-core')

/** Opens a browser with one page that is signed in to the host. */
export async function openBenchPage(host) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(`${host.web.url}/sign-in`)
  await page.evaluate(async (key) => {
    const headers = { 'content-type': 'application/json' }
    localStorage['yardmaster.private-path'] = `/web/~${'b'.repeat(32)}`
    await fetch(`${localStorage['yardmaster.private-path']}/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ key, name: 'Ada' }),
    })
  }, benchKey)
  return { page, close: () => browser.close() }
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

/** Calls the work so many times a second for some seconds. */
export async function paced({ perSecond, seconds }, work) {
  const begun = performance.now()
  for (let round = 0; round < perSecond * seconds; round += 1) {
    await work(round)
    const wait = begun + ((round + 1) * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
}
