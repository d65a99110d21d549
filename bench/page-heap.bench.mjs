import { appendEntries } from '../packages/server/dist/domain/transcripts/transcript.js'
import { transact } from '../packages/server/dist/platform/db/transact.js'
import { startBenchHost } from './support/host.mjs'
import { openBenchPage, paced, report } from './support/page.mjs'
import { said, seedTranscript } from './support/transcript.mjs'

/** The heap of a session's page that follows ten new entries a second for ten minutes, beside its heap after two minutes. */
const target = 1.15
const perSecond = 10
const settleSeconds = 120
const seconds = 600

const { host, stop } = await startBenchHost()
const { page, close } = await openBenchPage(host)
try {
  // The page holds at most 2,000 entries: it is full before the first measurement.
  let entries = 4000
  const sessionId = await seedTranscript(host, entries)
  await page.goto(`${host.web.url}/sessions/${sessionId}`)
  await page.getByText(`entry ${entries} `).first().waitFor()
  const append = async () => {
    const lines = [said(`appended ${entries + 1}`)]
    await transact(host.app.db, (tx) =>
      appendEntries(tx, { sessionId, thread: 'main' }, { after: entries, lines, readBytes: 0 }),
    )
    entries += 1
  }
  await paced({ perSecond: 40, seconds: 50 }, append)
  await paced({ perSecond, seconds: settleSeconds }, append)
  const before = await heap()
  await paced({ perSecond, seconds: seconds - settleSeconds }, append)
  await page.getByText(`appended ${entries}`, { exact: true }).first().waitFor()
  const after = await heap()
  const sizes = `${(after / 2 ** 20).toFixed(1)} MB, ${(before / 2 ** 20).toFixed(1)} MB after ${settleSeconds / 60} minutes:`
  report(`The heap of the page after ${seconds / 60} minutes is ${sizes}`, after / before, 'times', target, 2)
} finally {
  await close()
  await stop()
}

/** Of what the page still uses: the browser collects its garbage first. */
async function heap() {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('HeapProfiler.collectGarbage')
  const { usedSize } = await protocol.send('Runtime.getHeapUsage')
  await protocol.detach()
  return usedSize
}
