import { sql } from 'kysely'
import { ask, compareHosts } from './support/compare.mjs'

/** Gate decisions and outcome analyses with many rows, compared with few. LEDGER_BENCH_ROWS sets a smaller number. */
const target = 1.5
const few = 1000
const many = Number(process.env.LEDGER_BENCH_ROWS ?? 100_000)
const rounds = 80
/** Rows of one insert, which a connection of the host waits for. */
const slice = 5000

const requests = {
  'the first page of decisions': '/gate_decisions',
  'a search for a text in one decision': `/gate_decisions?query=${encodeURIComponent('Heron on the turntable')}`,
  'a search for a text in no decision': `/gate_decisions?query=${encodeURIComponent('no such text')}`,
  'a search for a part of one address': `/gate_decisions?artifact_query=${encodeURIComponent('pull/heron')}`,
  'the decisions about one artifact': `/gate_decisions?artifact_url=${encodeURIComponent('https://forge.example/pull/heron')}`,
  'one decision': '/gate_decisions/500',
  'the first page of analyses': '/outcome_analyses',
  'the analyses of one root': '/outcome_analyses?agent_root=root-500',
  'one analysis': '/outcome_analyses/500',
}

const environment = { ROLE: 'web' }
await compareHosts({ noun: 'rows', few, many, rounds, target, environment, seed }, async ({ compare }) => {
  for (const [name, path] of Object.entries(requests)) await compare(name, (host) => ask(host, path))
})

async function seed({ app: { db } }, count) {
  // The trigger that places each card is slow for so many rows and is not measured here.
  await sql`alter table sessions disable trigger sessions_card_arrives`.execute(db)
  for (let first = 1; first <= count; first += slice) {
    const last = Math.min(first + slice - 1, count)
    await sql`
      insert into gate_decisions (id, gate, surface, decision, artifact_url, decided_on, listed_on, recorded_via, recorded_at,
        payload, searched)
      select n, 'pr_merge', 'surface_' || n % 50, 'hold', 'https://forge.example/pull/' || case n when 500 then 'heron' else n::text end,
        date '2026-01-01' + (n % 300), date '2026-01-01' + (n % 300), 'api', now(), jsonb_build_object('note', note), lower(note)
      from generate_series(${first}::int, ${last}::int) as n,
        lateral (select case n when 500 then 'Heron on the turntable ' else 'Errand ' end || md5(n::text) || repeat(' words', 40) as note) as noted
    `.execute(db)
    await sql`
      insert into sessions (agent_runtime, genesis, git_root, branch, config, status, archived_at)
      select 'demo', 'api', 'https://forge.example/acme/widgets.git', 'main', '{"model": "demo"}', 'archived', now()
      from generate_series(${first}::int, ${last}::int)
    `.execute(db)
    await sql`
      insert into outcome_analyses (session_id, schema_version, agent_root, agent_runtime, model, session_created_at, root_outcome,
        segment_count, failure_segment_count, success_segment_count, max_depth, analyzed_at, root)
      select n, '1', 'root-' || n, 'demo', 'demo', now(), 'Success', 1, 0, 1, 1, now() + n * interval '1 millisecond', '{}'
      from generate_series(${first}::int, ${last}::int) as n
    `.execute(db)
  }
  await sql`alter table sessions enable trigger sessions_card_arrives`.execute(db)
  await sql`vacuum analyze`.execute(db)
}
