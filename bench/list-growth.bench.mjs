import { sql } from 'kysely'
import { indexDocuments } from '../packages/server/dist/domain/search/index-documents.js'
import { allIndexed } from './support/all-indexed.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/** The list and the default search with many sessions, against the same with few. GROWTH_BENCH_SESSIONS makes it smaller. */
const target = 1.5
const few = 1000
const many = Number(process.env.GROWTH_BENCH_SESSIONS ?? 100_000)
const rounds = 60

const requests = {
  'the list': '/sessions',
  'the list of what is on the board': '/sessions?visibility=on_board',
  'a search for one session': `/sessions/search?q=${encodeURIComponent('errand number 777.')}`,
  'a search for nothing': `/sessions/search?q=${encodeURIComponent('"clone_path":"/nowhere/at/all"')}`,
}

const { host, stop } = await startBenchHost()
try {
  const before = await measureWith(1, few)
  const after = await measureWith(few + 1, many)
  for (const [name, milliseconds] of Object.entries(after)) {
    const ratio = milliseconds / before[name]
    console.log(
      `With ${many} sessions ${name} takes ${ratio.toFixed(2)} times what it takes with ${few} (${milliseconds.toFixed(1)} ms and ${before[name].toFixed(1)} ms; target: at most ${target})`,
    )
    if (ratio > target) process.exitCode = 1
  }
} finally {
  await stop()
}

async function measureWith(first, last) {
  const { db } = host.app
  // Placing each card on top of its section is not what is measured, and takes long for so many.
  await sql`alter table sessions disable trigger sessions_card_arrives`.execute(db)
  await sql`
    insert into sessions (title, agent_runtime, genesis, prompt, git_root, branch, config, metadata, created_at)
    select 'An errand number ' || n || '.', 'demo', 'api', 'say hello', 'https://forge.example/acme/widgets.git', 'main',
      '{"model": "demo"}',
      jsonb_build_object('clone_path', '/var/lib/yardmaster/clones/session-' || n, 'runtime_started', true),
      now() - interval '1 day' + n * interval '1 millisecond'
    from generate_series(${first}::int, ${last}::int) as n
  `.execute(db)
  await sql`alter table sessions enable trigger sessions_card_arrives`.execute(db)
  await allIndexed(host, indexDocuments)
  await sql`vacuum analyze`.execute(db)
  const figures = {}
  for (const [name, path] of Object.entries(requests)) {
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now()
      const answer = await fetch(`${host.web.url}/api/v1${path}`, { headers: { 'x-api-key': benchKey } })
      await answer.text()
      times.push(performance.now() - started)
    }
    figures[name] = median(times)
  }
  return figures
}
