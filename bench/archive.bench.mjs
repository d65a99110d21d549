import { spawn } from 'node:child_process'
import { sql } from 'kysely'
import { updateArchive } from '../packages/server/dist/domain/archive/update-archive.js'
import { benchKey, startBenchHost } from './support/host.mjs'

/** One gigabyte of transcripts is stored and downloaded with little memory, also twice at once, in part, and as many files. */
const targetMegabytes = 200
const sessions = 200
const entriesOfSession = 1024
const entryBytes = 5 * 1024
const manyFiles = 100_000
const manySessions = 100_000

const { host, stop } = await startBenchHost({ ROLE: 'web' })
try {
  await writeTranscripts()
  const built = await watched(async () => {
    const signal = new AbortController().signal
    while ((await updateArchive(host.app, signal)) === 'again');
    return (await status()).file_size_bytes
  })
  report('Storing', built)
  report('Downloading', await watched(() => download()))
  report(
    'Downloading twice at once',
    await watched(async () => Math.min(...(await Promise.all([download(), download()])))),
  )
  report('The last megabyte of', await watched(() => download('bytes=-1048576')))
  await writeManyFiles()
  report(`With ${manyFiles} more files, downloading`, await watched(() => download()))
  report(`With ${manyFiles} more files, the last megabyte of`, await watched(() => download('bytes=-1048576')))
  await writeManySessions()
  report(
    `With ${manySessions} more sessions, looking for changes to`,
    await watched(async () => {
      await updateArchive(host.app, new AbortController().signal)
      return (await status()).file_size_bytes
    }),
  )
} finally {
  await stop()
}

/** By statements of the database: what is measured is only what comes after. */
async function writeTranscripts() {
  await sql`
    insert into sessions (agent_runtime, genesis, git_root, branch, prompt)
    select 'demo', 'api', '/srv/none', 'main', 'say hello' from generate_series(1, ${sessions})
  `.execute(host.app.db)
  for (let from = 0; from < sessions; from += 10)
    await sql`
      with chosen as (select id from sessions order by id offset ${from} limit 10),
      threads as (
        insert into transcript_threads (session_id, thread, entry_count)
        select id, 'main', ${entriesOfSession} from chosen
      )
      insert into transcript_entries (session_id, thread, sequence, line)
      select id, 'main', n, '{"type":"assistant","text":"' || repeat(md5(id::text || n::text) || ' ', ${Math.floor(entryBytes / 33)}::int) || '"}'
      from chosen, generate_series(1, ${entriesOfSession}) as n
    `.execute(host.app.db)
}

/** Empty subagents, as they are stored: only their number matters. */
async function writeManyFiles() {
  await sql`
    insert into archive_files (session_id, name, head, size_bytes, crc32, sha256, from_generation)
    select
      (select min(session_id) from archive_sessions), 'many/' || lpad(n::text, 8, '0') || '.json', '{"transcript":"',
      18, 0, repeat('a', 64), (select generation from archive_progress)
    from generate_series(1, ${manyFiles}) as n
  `.execute(host.app.db)
}

/** Each is compared, and none has anything to store. */
async function writeManySessions() {
  await sql`
    insert into sessions (agent_runtime, genesis, git_root, branch, prompt)
    select 'demo', 'api', '/srv/none', 'main', 'say hello' from generate_series(1, ${manySessions})
  `.execute(host.app.db)
}

async function status() {
  const answer = await fetch(`${host.web?.url}/api/v1/transcript_archive/status`, {
    headers: { 'x-api-key': benchKey },
  })
  return answer.json()
}

/** In a process of its own: the memory of the caller does not count. */
function download(range = '') {
  const script = `
    const answer = await fetch('${host.web?.url}/api/v1/transcript_archive/download', {
      headers: { 'x-api-key': '${benchKey}', ${range === '' ? '' : `range: '${range}'`} },
    })
    let bytes = 0
    for await (const chunk of answer.body) bytes += chunk.length
    console.log(bytes === Number(answer.headers.get('content-length')) ? bytes : -1)
  `
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', () => resolve(Number(text)))
  })
}

/** @param {() => Promise<number>} work */
async function watched(work) {
  let peak = process.memoryUsage.rss()
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 50)
  const started = performance.now()
  const bytes = await work()
  clearInterval(watch)
  return { bytes, peak, seconds: (performance.now() - started) / 1000 }
}

function report(what, { bytes, peak, seconds }) {
  const [megabytes, memory] = [bytes, peak].map((value) => value / 1024 / 1024)
  console.log(
    `${what} ${megabytes.toFixed(0)} MB of archive takes ${seconds.toFixed(1)} s, and the whole host has ${memory.toFixed(0)} MB of memory (target: at most ${targetMegabytes} MB)`,
  )
  if (bytes < 0 || memory > targetMegabytes) process.exitCode = 1
}
