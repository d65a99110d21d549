import { sql } from 'kysely'
import { sessionStatusChanged } from '../packages/server/dist/domain/sessions/events.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'
import { longTasksDuring, openBenchPage, paced, report } from './support/page.mjs'

/**
 * The board in a browser with 1,000 sessions: when its first row is painted, how many elements it has, and whether 200
 * changes of status a second make a task of the page that takes longer than 50 ms.
 */
const targets = { firstRowMs: 1500, elements: 2500, longTasks: 0 }
const sessions = 1000
const eventsPerSecond = 200
const seconds = 10
const batchesPerSecond = 20

const { host, stop } = await startBenchHost()
const { page, close } = await openBenchPage(host)
try {
  await seed()
  const firstRowMs = await firstRow()
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.getByText('live', { exact: true }).waitFor()
  const idle = await longTasksDuring(page, () => page.waitForTimeout(seconds * 1000))
  const busy = await longTasksDuring(page, changeStatuses)
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
