import { sql } from 'kysely'
import { sessionStatusChanged } from '../packages/server/dist/domain/sessions/events.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'
import { longTasksDuring, openBenchPage, paced, report, tell } from './support/page.mjs'
import { median } from './support/sessions.mjs'

/**
 * The board in a browser with 1,000 sessions: when its first row is painted, how many elements it has, and whether 200
 * changes of status a second make a task of the page that takes longer than 50 ms. It also tells how long a first visit takes,
 * and a change of status until its row shows it.
 */
const targets = { firstRowMs: 1500, elements: 2500, longTasks: 0 }
const sessions = 1000
const eventsPerSecond = 200
const seconds = 10
const batchesPerSecond = 20
/** Design figures of a fast machine. They are told, not checked. */
const budgets = { coldLcpMs: 1000, eventToRowMs: 50 }
const coldVisits = 7
const changes = 30

const { host, stop } = await startBenchHost()
const { page, inColdPage, close } = await openBenchPage(host)
try {
  await seed()
  const coldLcpMs = []
  for (let visit = 0; visit < coldVisits; visit += 1) coldLcpMs.push(await inColdPage(largestPaint))
  const firstRowMs = await firstRow()
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.getByText('live', { exact: true }).waitFor()
  const { sinceWrite, sinceArrival } = await changesOfOneRow()
  const idle = await longTasksDuring(page, () => page.waitForTimeout(seconds * 1000))
  const busy = await longTasksDuring(page, changeStatuses)
  tell('With an empty cache the largest paint of the board is after', median(coldLcpMs), 'ms', budgets.coldLcpMs)
  tell(
    'A row shows its new status after the event reaches the page within',
    median(sinceArrival),
    'ms',
    budgets.eventToRowMs,
  )
  tell('A row shows its new status after the server writes it within', median(sinceWrite), 'ms', budgets.eventToRowMs)
  report('The first row of the board is painted after', firstRowMs, 'ms', targets.firstRowMs)
  report(`With ${sessions} sessions the page has`, elements, 'elements', targets.elements)
  report(
    `${eventsPerSecond} changes of status a second for ${seconds} s make`,
    busy.count - idle.count,
    `tasks above 50 ms, the longest ${busy.longest.toFixed(0)} ms, beside ${idle.count} without changes`,
    targets.longTasks,
  )
} finally {
  await close()
  await stop()
}

/** Since the navigation, with the files in the browser's cache, as for a person who comes back. */
async function firstRow() {
  await page.goto(host.web.url)
  await page.locator('[data-session]').first().waitFor()
  await page.reload({ waitUntil: 'commit' })
  await page.locator('[data-session]').first().waitFor()
  return page.evaluate(() => performance.now())
}

/** The largest contentful paint that the browser reports until the rows stand there. */
async function largestPaint(visitor) {
  await visitor.goto(host.web.url, { waitUntil: 'commit' })
  await visitor.locator('[data-session]').first().waitFor()
  return visitor.evaluate(
    () =>
      new Promise((resolve) => {
        const type = 'largest-contentful-paint'
        // An entry is delivered a frame or two after its paint.
        setTimeout(
          () =>
            new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
              type,
              buffered: true,
            }),
          500,
        )
      }),
  )
}

/**
 * Changes the status of the first row, one change after another. Times are those of the one machine on which server and browser run:
 * the write is timed before its transaction, the arrival when the page repeats the event to other tabs, and the end when the row of
 * the document has the new word.
 */
async function changesOfOneRow() {
  const id = Number(await page.locator('[data-session]').first().getAttribute('data-session'))
  const [sinceWrite, sinceArrival] = [[], []]
  for (let round = 0; round < changes; round += 1) {
    const [status, word] = round % 2 === 0 ? ['running', 'Running'] : ['waiting', 'Waiting']
    const shown = page.evaluate(watchRow, { id, word })
    // The script of the page runs before this: both go through one connection to the browser, in order.
    await page.evaluate(() => undefined)
    const writtenAt = performance.timeOrigin + performance.now()
    await transact(host.app.db, async (tx) => {
      await sql`update sessions set status = ${status} where id = ${id}`.execute(tx)
      const payload = { cause: 'bench', from: 'waiting', to: status }
      await host.app.events.publish(tx, sessionStatusChanged, { sessionId: id, payload })
    })
    const { arrivedAt, shownAt } = await shown
    sinceWrite.push(shownAt - writtenAt)
    sinceArrival.push(shownAt - arrivedAt)
    // A change that follows at once waits for the next of ten drawings a second.
    await page.waitForTimeout(250)
  }
  return { sinceWrite, sinceArrival }
}

/** Runs in the page. */
function watchRow({ id, word }) {
  const now = () => performance.timeOrigin + performance.now()
  const row = document.querySelector(`[data-session="${id}"]`)
  const post = BroadcastChannel.prototype.postMessage
  let arrivedAt
  BroadcastChannel.prototype.postMessage = function (message) {
    if (message.kind === 'event') arrivedAt ??= now()
    return post.call(this, message)
  }
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!row.textContent.includes(word)) return
      observer.disconnect()
      BroadcastChannel.prototype.postMessage = post
      resolve({ arrivedAt: arrivedAt ?? now(), shownAt: now() })
    })
    observer.observe(row, { subtree: true, childList: true, characterData: true })
  })
}

async function changeStatuses() {
  const ids = (await sql`select id from sessions order by sort_order`.execute(host.app.db)).rows.map(({ id }) =>
    Number(id),
  )
  const perBatch = eventsPerSecond / batchesPerSecond
  await paced({ perSecond: batchesPerSecond, seconds }, (batch) =>
    transact(host.app.db, async (tx) => {
      for (let each = 0; each < perBatch; each += 1) {
        const payload = { cause: 'bench', from: 'waiting', to: batch % 2 === 0 ? 'running' : 'needs_input' }
        const sessionId = ids[(batch * perBatch + each) % ids.length]
        await host.app.events.publish(tx, sessionStatusChanged, { sessionId, payload })
      }
    }),
  )
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
