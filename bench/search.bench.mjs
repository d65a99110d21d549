import { execFile } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { indexDocuments } from '../packages/server/dist/domain/search/index-documents.js'
import { indexTranscripts } from '../packages/server/dist/domain/search/index-transcripts.js'
import { allIndexed } from './support/all-indexed.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/**
 * Content search compared with `grep -F` over the same bytes in one warm file: for a phrase that occurs once, a phrase that
 * every session has once, and a phrase in every line. SEARCH_BENCH_MEGABYTES sets a smaller size.
 */
const target = 0.1
const megabytes = Number(process.env.SEARCH_BENCH_MEGABYTES ?? 500)
const sessionCount = megabytes * 4
const bytesPerSession = (megabytes * 1024 * 1024) / sessionCount
const rounds = 21
/** The JIT of a new server compiles the hot code during these requests. */
const warmUps = 10

const phrases = {
  'that occurs once': 'a heron stood on the turntable',
  'that every session has once': 'checkpoint of this session reached',
  'that is in every line': '"role":"assistant"',
}

const { host, stop } = await startBenchHost()
try {
  const file = host.app.home.in('all.jsonl')
  await seed(host.app.db, file)
  const started = performance.now()
  await allIndexed(host, indexTranscripts)
  const seconds = (performance.now() - started) / 1000
  await allIndexed(host, indexDocuments)
  await sql`vacuum analyze`.execute(host.app.db)
  console.log(`${megabytes} MB in ${sessionCount} sessions are indexed at ${(megabytes / seconds).toFixed(1)} MB/s`)
  for (const [which, phrase] of Object.entries(phrases)) await compare(which, phrase, file)
} finally {
  await stop()
}

async function compare(which, phrase, file) {
  const grep = []
  const search = []
  const url = `${host.web.url}/api/v1/sessions/search?search_contents=true&q=${encodeURIComponent(phrase)}`
  const ask = async () => check(which, await (await fetch(url, { headers: { 'x-api-key': benchKey } })).json())
  for (let round = 0; round < warmUps; round += 1) await ask()
  for (let round = 0; round < rounds; round += 1) {
    grep.push(await timed(() => promisify(execFile)('grep', ['-cF', phrase, file])))
    search.push(await timed(ask))
  }
  const ratio = median(search) / median(grep)
  console.log(
    `A phrase ${which}: ${ratio.toFixed(3)} of the time of grep (${median(search).toFixed(1)} ms and ${median(grep).toFixed(1)} ms; target: at most ${target})`,
  )
  if (ratio > target) process.exitCode = 1
}

function check(which, { sessions, content_scan: scan }) {
  const isRight = which === 'that occurs once' ? scan.complete && sessions.length === 1 : sessions.length === 25
  if (!isRight) throw new Error(`a phrase ${which}: ${sessions.length} sessions, ${JSON.stringify(scan)}`)
}

async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Writes real text, in lines as agents store them, to the database and to one file. */
async function seed(db, file) {
  const out = createWriteStream(file)
  const texts = sourceTexts()
  for (let n = 0; n < sessionCount; n += 1) {
    const lines = []
    for (let bytes = 0; bytes < bytesPerSession; bytes += lines.at(-1).length + 1) lines.push(entry(texts.next().value))
    lines.splice(Math.floor(lines.length / 2), 0, entry(`${phrases['that every session has once']}, number ${n}`))
    if (n === Math.floor(sessionCount / 3)) lines.splice(7, 0, entry(`Then ${phrases['that occurs once']} and left.`))
    await store(db, lines)
    if (!out.write(`${lines.join('\n')}\n`)) await new Promise((resolve) => out.once('drain', resolve))
  }
  out.end()
  await finished(out)
  await sql`analyze`.execute(db)
}

async function store(db, lines) {
  await sql`
    with made as (
      insert into sessions (agent_runtime, genesis, git_root, branch, created_at)
      values ('demo', 'api', '/nowhere', 'main', clock_timestamp())
      returning id
    ),
    thread as (
      insert into transcript_threads (session_id, thread, entry_count) select id, 'main', ${lines.length} from made
    )
    insert into transcript_entries (session_id, thread, sequence, line)
    select id, 'main', place, line
    from made, unnest(${lines}::text[]) with ordinality as entry (line, place)
  `.execute(db)
}

function entry(text) {
  return JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } })
}

/** The text files in node_modules, repeated, in pieces of 1.4 KB. */
function* sourceTexts() {
  const folder = new URL('../node_modules/', import.meta.url)
  const names = readdirSync(folder, { recursive: true })
    .filter((name) => /\.(js|ts|md)$/.test(name))
    .sort()
  for (;;) {
    for (const name of names) {
      const text = readIfFile(new URL(name, folder))
      for (let start = 0; start < text.length; start += 1400)
        yield text
          .slice(start, start + 1400)
          .toWellFormed()
          .replaceAll('\0', '')
    }
  }
}

function readIfFile(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'EISDIR') return ''
    throw error
  }
}
