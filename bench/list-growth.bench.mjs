import { sql } from 'kysely'
import { indexDocuments } from '../packages/server/dist/domain/search/index-documents.js'
import { allIndexed } from './support/all-indexed.mjs'
import { ask, compareHosts } from './support/compare.mjs'

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

await compareHosts({ noun: 'sessions', few, many, rounds, target, seed }, async ({ compare }) => {
  for (const [name, path] of Object.entries(requests)) await compare(name, (host) => ask(host, path))
})

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
