import { appendEntries } from '../packages/server/dist/domain/transcripts/transcript.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'
import { longTasksDuring, openBenchPage, report, tell } from './support/page.mjs'
import { median } from './support/sessions.mjs'
import { said, seedTranscript } from './support/transcript.mjs'

/**
 * A transcript of 10,000 entries in a browser, beside one of 200: opening it, appending to it and scrolling through it cost
 * about as much, because the page loads and draws a part of it. The times themselves depend on the machine and are printed.
 */
const targets = { open: 1.5, append: 2, elements: 1.2, longTasks: 0 }
const lengths = { short: 200, long: 10_000 }
/** Design figures of a fast machine. They are told, not checked. */
const budgets = { openMs: 500, appendMs: 8, frameMs: 33 }
const opens = 7
const appends = 40
const screens = 60

const { host, stop } = await startBenchHost()
const { page, inColdPage, close } = await openBenchPage(host)
try {
  const short = { id: await seedTranscript(host, lengths.short), entries: lengths.short }
  const long = { id: await seedTranscript(host, lengths.long), entries: lengths.long }
  await open(short)
  await open(long)

  const times = { short: [], long: [] }
  for (let round = 0; round < opens; round += 1) {
    times.short.push(await open(short))
    times.long.push(await open(long))
  }
  const cold = []
  for (let round = 0; round < opens; round += 1) cold.push(await inColdPage((visitor) => open(long, visitor)))
  tell('With an empty cache, 10,000 entries are open after', median(cold), 'ms', budgets.openMs)
  tell('With the files in the cache, 10,000 entries are open after', median(times.long), 'ms', budgets.openMs)
  compare('Opening 10,000 entries takes', median(times.long), median(times.short), 'ms', targets.open)

  await open(short)
  const small = mean(await appendSome(short))
  const smallElements = await elements()
  await open(long)
  const { count, longest, frame } = await scrollUp()
  const appended = await appendSome(long)
  const large = mean(appended)
  tell(
    'At 10,000 entries half of the appends cost the page less than',
    median(appended),
    'ms of processor time',
    budgets.appendMs,
  )
  tell('While it scrolls, 95 % of the frames take less than', frame, 'ms', budgets.frameMs)
  compare(
    'After its reader scrolled up and came back, a new entry costs the page',
    large,
    small,
    'ms of processor time',
    targets.append,
  )
  compare('The page has', await elements(), smallElements, 'elements', targets.elements)
  report(
    `Scrolling over ${screens} screens makes`,
    count,
    `tasks above 50 ms, the longest ${longest.toFixed(0)} ms`,
    targets.longTasks,
  )
} finally {
  await close()
  await stop()
}

function compare(what, value, base, unit, target) {
  report(`${what} ${value.toFixed(1)} ${unit}, ${base.toFixed(1)} with 200:`, value / base, 'times', target, 2)
}

/** Loads the page until the last entry is painted; the visitor that comes back has its files in the browser's cache. */
async function open({ id, entries }, visitor = page) {
  await visitor.goto(`${host.web.url}/sessions/${id}`, { waitUntil: 'commit' })
  await visitor.getByText(`entry ${entries} `, { exact: false }).first().waitFor()
  return visitor.evaluate(() => performance.now())
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function elements() {
  return page.evaluate(() => document.querySelectorAll('*').length)
}

/** Appends entries one by one, each as soon as the one before is shown, and returns the processor time of each in ms. */
async function appendSome(transcript) {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.mouse.wheel(0, 10_000_000)
  const spent = []
  for (let round = 1; round <= appends; round += 1) {
    const text = `appended ${transcript.entries + 1} to ${transcript.id}`
    const shown = page.evaluate(untilShown, text)
    // The script of the page runs before this: both go through one connection to the browser, in order.
    await page.evaluate(() => undefined)
    const before = await taskTime(protocol)
    await transact(host.app.db, (tx) =>
      appendEntries(
        tx,
        { sessionId: transcript.id, thread: 'main' },
        { after: transcript.entries, lines: [said(text)], readBytes: 0 },
      ),
    )
    transcript.entries += 1
    await shown
    spent.push(((await taskTime(protocol)) - before) * 1000)
  }
  await protocol.detach()
  return spent
}

/** Runs in the page, and looks only at what is added to it: a search of the whole page in every frame would cost more than the append. */
function untilShown(text) {
  return new Promise((resolve) => {
    const observer = new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
      if (!added.some((node) => node.textContent.includes(text))) return
      observer.disconnect()
      // After the frame in which it is painted.
      requestAnimationFrame(() => setTimeout(resolve))
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
}

async function taskTime(protocol) {
  const { metrics } = await protocol.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value
}

/** Scrolls towards the beginning, screen by screen, while older pages load. */
async function scrollUp() {
  await page.mouse.move(600, 400)
  await page.evaluate(() => {
    window.frameTimes = []
    let last = performance.now()
    const next = (now) => {
      window.frameTimes.push(now - last)
      last = now
      window.frameRequest = requestAnimationFrame(next)
    }
    window.frameRequest = requestAnimationFrame(next)
  })
  const tasks = await longTasksDuring(page, async () => {
    for (let screen = 0; screen < screens; screen += 1) {
      await page.mouse.wheel(0, -700)
      await page.waitForTimeout(50)
    }
  })
  const frames = await page.evaluate(() => {
    cancelAnimationFrame(window.frameRequest)
    return window.frameTimes.sort((one, other) => one - other)
  })
  return { ...tasks, frame: frames[Math.floor(frames.length * 0.95)] }
}
