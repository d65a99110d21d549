import { sql } from 'kysely'
import { indexDocuments } from '../packages/server/dist/domain/search/index-documents.js'
import { allIndexed } from './support/all-indexed.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/** The list and the default search with many sessions, compared with few. GROWTH_BENCH_SESSIONS sets a smaller number. */
const target = 1.5
const few = 1000
const many = Number(process.env.GROWTH_BENCH_SESSIONS ?? 100_000)
const rounds = 60

const requests = {
  'the list': '/sessions',
  'the list of sessions on the board': '/sessions?visibility=on_board',
  'a search for one session': `/sessions/search?q=${encodeURIComponent('a heron on the turntable')}`,
  'a search for a title that resembles all others': `/sessions/search?q=${encodeURIComponent('errand number 777.')}`,
  'a search without a match': `/sessions/search?q=${encodeURIComponent('"clone_path":"/nowhere/at/all"')}`,
}

// Requests to both hosts alternate, so that other load affects both.
const small = await startBenchHost()
const large = await startBenchHost()
try {
  await seed(small.host, few)
  await seed(large.host, many)
  for (const [name, path] of Object.entries(requests)) {
    const before = []
    const after = []
    for (let round = 0; round < rounds; round += 1) {
      before.push(await timed(small.host, path))
      after.push(await timed(large.host, path))
    }
    const ratio = median(after) / median(before)
    console.log(
      `With ${many} sessions ${name} takes ${ratio.toFixed(2)} times what it takes with ${few} (${median(after).toFixed(1)} ms and ${median(before).toFixed(1)} ms; target: at most ${target})`,
    )
    if (ratio > target) process.exitCode = 1
  }
} finally {
  await Promise.all([small.stop(), large.stop()])
}

async function timed(host, path) {
  const started = performance.now()
  const answer = await fetch(`${host.web.url}/api/v1${path}`, { headers: { 'x-api-key': benchKey } })
  await answer.text()
  return performance.now() - started
}

async function seed(host, count) {
  const { db } = host.app
  // The trigger that places each card is slow for so many rows and is not measured here.
  await sql`alter table sessions disable trigger sessions_card_arrives`.execute(db)
  await sql`
    insert into sessions (title, agent_runtime, genesis, prompt, git_root, branch, config, metadata, created_at)
    select case n when 500 then 'A heron on the turntable' else 'An errand number ' || n || '.' end,
      'demo', 'api', 'say hello', 'https://forge.example/acme/widgets.git', 'main', '{"model": "demo"}',
      jsonb_build_object('clone_path', '/var/lib/yardmaster/clones/session-' || n, 'runtime_started', true),
      now() - interval '1 day' + n * interval '1 millisecond'
    from generate_series(1, ${count}::int) as n
  `.execute(db)
  await sql`alter table sessions enable trigger sessions_card_arrives`.execute(db)
  await allIndexed(host, indexDocuments)
  await sql`vacuum analyze`.execute(db)
}
