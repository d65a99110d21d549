import { createWriteStream } from 'node:fs'
import { appendFile, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ingest } from '../packages/server/dist/domain/transcripts/transcript.js'
import { startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/** Storing transcript entries: the cost of an entry does not depend on the length of the transcript, and a large file is streamed. */
const targets = { growth: 1.2, megabytesPerSecond: 8, memoryMegabytes: 200 }
const largeBytes = 200 * 1024 * 1024

const words =
  'the quick brown fox reads src/platform/http/server.ts and changes const timeoutMs = 2500 because a test failed'.split(
    ' ',
  )

const { host, stop } = await startBenchHost()
try {
  await compareAppends()
  await readLarge()
} finally {
  await stop()
}

async function compareAppends() {
  const path = host.app.home.in('growing.jsonl')
  const sessionId = await newSession()
  const early = []
  const late = []
  for (let n = 0; n < 20_200; n += 1) {
    const isEarly = n >= 200 && n < 400
    const isLate = n >= 20_000
    await appendFile(path, `${entry(n)}\n`)
    if (!isEarly && !isLate) {
      if (n % 500 === 499 || n === 199 || n === 19_999) await read(sessionId, path)
      continue
    }
    const started = performance.now()
    await read(sessionId, path)
    ;(isEarly ? early : late).push(performance.now() - started)
  }
  const ratio = median(late) / median(early)
  console.log(
    `Storing entry 20,000 takes ${ratio.toFixed(2)} times what entry 200 takes (target: at most ${targets.growth})`,
  )
  if (ratio > targets.growth) process.exitCode = 1
}

async function readLarge() {
  const path = host.app.home.in('large.jsonl')
  await pipeline(lines(), createWriteStream(path))
  const sessionId = await newSession()
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 50)
  const started = performance.now()
  await read(sessionId, path)
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  const megabytes = (await stat(path)).size / 1024 / 1024
  const rate = megabytes / seconds
  const grown = (peak - before) / 1024 / 1024
  console.log(
    `${megabytes.toFixed(0)} MB are redacted and stored at ${rate.toFixed(1)} MB/s with ${grown.toFixed(0)} MB of memory (target: at least ${targets.megabytesPerSecond} MB/s, at most ${targets.memoryMegabytes} MB)`,
  )
  if (rate < targets.megabytesPerSecond || grown > targets.memoryMegabytes) process.exitCode = 1
}

function* lines() {
  for (let bytes = 0, n = 0; bytes < largeBytes; n += 1) {
    const line = `${entry(n)}\n`
    bytes += line.length
    yield line
  }
}

function entry(n) {
  const text = Array.from({ length: 180 }, (_, k) => words[(n * 7 + k * 3) % words.length]).join(' ')
  return JSON.stringify({
    type: 'assistant',
    uuid: `0b6c1f3e-${n}`,
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  })
}

function read(sessionId, path) {
  return ingest(host.app, { sessionId, thread: 'main' }, path, { isKept: () => true, alongside: async () => undefined })
}

async function newSession() {
  const { id } = await host.app.db
    .insertInto('sessions')
    .values({ agent_runtime: 'demo', genesis: 'api', git_root: '/nowhere', branch: 'main' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
