import { createRequire } from 'node:module'
import { sql } from 'kysely'
import { sessionStatusChanged } from '../packages/server/dist/domain/sessions/events.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { benchKey, startBenchHost } from './support/host.mjs'

/** The tests of the pages bring it. */
const { chromium } = createRequire(new URL('../packages/web/package.json', import.meta.url))('playwright-core')

/**
 * The board in a browser with 1,000 sessions: when its first row is painted, how many elements it has, and whether 200
 * changes of status a second make a task of the page that takes longer than 50 ms.
 */
const targets = { firstRowMs: 1500, elements: 2500, longTasks: 0 }
const sessions = 1000
const eventsPerSecond = 200
const seconds = 10
const batchMs = 50

const { host, stop } = await startBenchHost()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
})
try {
  await seed()
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(`${host.web.url}/sign-in`)
  await page.evaluate(async (key) => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/web/session', { method: 'POST', headers, body: JSON.stringify({ key, name: 'Ada' }) })
  }, benchKey)
  const firstRowMs = await firstRow(page)
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.getByText('live', { exact: true }).waitFor()
  const { longTasks, longest, drawn } = await underLoad(page)
  report('The first row of the board is painted after', firstRowMs, 'ms', targets.firstRowMs)
  report(`With ${sessions} sessions the page has`, elements, 'elements', targets.elements)
  report(
    `${eventsPerSecond} changes of status a second for ${seconds} s (${drawn} redrawn rows) make`,
    longTasks,
    `tasks above 50 ms, the longest ${longest} ms`,
    targets.longTasks,
  )
} finally {
  await browser.close()
  await stop()
}

/** @param {string} what @param {number} value @param {string} unit @param {number} target */
function report(what, value, unit, target) {
  console.log(`${what} ${value.toFixed(0)} ${unit} (target: at most ${target})`)
  if (value > target) process.exitCode = 1
}

/** Since the navigation, with the files in the browser's cache, as for a person who comes back. */
async function firstRow(page) {
  await page.goto(host.web.url)
  await page.locator('[data-session]').first().waitFor()
  await page.reload({ waitUntil: 'commit' })
  await page.locator('[data-session]').first().waitFor()
  return page.evaluate(() => performance.now())
}

async function underLoad(page) {
  await page.evaluate(() => {
    window.tasks = []
    window.drawn = 0
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
    const list = document.querySelector('[aria-label=Sessions]')
    new MutationObserver((changes) => {
      window.drawn += changes.length
    }).observe(list, { subtree: true, childList: true, characterData: true })
  })
  const ids = (await sql`select id from sessions order by sort_order`.execute(host.app.db)).rows.map(({ id }) =>
    Number(id),
  )
  const perBatch = (eventsPerSecond * batchMs) / 1000
  const begun = performance.now()
  for (let batch = 0; batch < (seconds * 1000) / batchMs; batch += 1) {
    await transact(host.app.db, async (tx) => {
      for (let each = 0; each < perBatch; each += 1) {
        const at = (batch * perBatch + each) % ids.length
        const payload = { cause: 'bench', from: 'waiting', to: batch % 2 === 0 ? 'running' : 'needs_input' }
        await host.app.events.publish(tx, sessionStatusChanged, { sessionId: ids[at], payload })
      }
    })
    const wait = begun + (batch + 1) * batchMs - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
  const tasks = await page.evaluate(() => window.tasks)
  return {
    longTasks: tasks.length,
    longest: Math.max(0, ...tasks).toFixed(0),
    drawn: await page.evaluate(() => window.drawn),
  }
}

async function seed() {
  await sql`
    insert into sessions (title, slug, status, agent_runtime, genesis, prompt, git_root, branch, config, metadata, sort_order)
    select 'An errand number ' || n, 'an-errand-number-' || n, 'waiting',
      'demo', 'web_ui', 'say hello', 'https://forge.example/acme/widgets.git', 'main', '{"model": "demo"}',
      jsonb_build_object('agent_root_key', 'web'), n
    from generate_series(1, ${sessions}::int) as n
  `.execute(host.app.db)
  await sql`
    insert into transcript_threads (session_id, thread, entry_count, last_entry_at, last_said)
    select id, 'main', 40, now(), 'Ran the tests: 214 passed, and two are left.' from sessions
  `.execute(host.app.db)
}
