import { sql } from 'kysely'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/**
 * The health report with 100,000 sessions and 50,000 queued jobs must answer within 2 s, also while PostgreSQL hangs: another
 * transaction then holds locks on the tables that the report reads. The sessions have 300,000 turns and 300,000 log lines.
 */
const targetMs = 2000
const sessions = 100_000
const jobs = 50_000
const slice = 10_000
const rounds = 11

const { host, stop } = await startBenchHost({ ROLE: 'all' })
try {
  await seed(host.app.db)
  const quick = []
  for (let round = 0; round < rounds; round += 1) quick.push(await ask({ isWhole: true }))
  const hanging = []
  for (let round = 0; round < 3; round += 1) {
    await host.app.db.transaction().execute(async (tx) => {
      await sql`lock table sessions, turns, hosts, session_logs in access exclusive mode`.execute(tx)
      hanging.push(await ask({ isWhole: false }))
    })
  }
  const [slowest, whileHanging] = [Math.max(...quick), Math.max(...hanging)]
  console.log(
    `GET /health with ${sessions} sessions and ${jobs} queued jobs: ${median(quick).toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms; while PostgreSQL hangs ${whileHanging.toFixed(0)} ms (target: at most ${targetMs} ms)`,
  )
  if (slowest > targetMs || whileHanging > targetMs) process.exitCode = 1
} finally {
  await stop()
}

async function ask({ isWhole }) {
  const started = performance.now()
  const answer = await fetch(`${host.web.url}/api/v1/health`, { headers: { 'x-api-key': benchKey } })
  const { health_report: report } = await answer.json()
  const took = performance.now() - started
  const failed = Object.entries(report).flatMap(([name, part]) =>
    part.status?.code === 'section_failed' ? [name] : [],
  )
  const { queue_stats: stats } = report.system_health
  if (isWhole && (failed.length > 0 || report.session_health.total_sessions < sessions || stats.scheduled_count < jobs))
    throw new Error(`GET /health is not whole: ${failed.join(', ')}`)
  return took
}

async function seed(db) {
  for (let from = 1; from <= sessions; from += slice) {
    const to = from + slice - 1
    await sql`
      insert into sessions (agent_runtime, genesis, git_root, branch, config, status, title, archived_at, updated_at, metadata)
      select 'demo', 'api', '/srv/repositories/widgets', 'main', '{"model": "demo"}', status, 'Session ' || n,
        case when status = 'archived' then now() end, now() - make_interval(hours => n % 700),
        case when status = 'failed' then '{"failure_reason": "crash"}'::jsonb else '{}'::jsonb end
      from generate_series(${from}::int, ${to}::int) as n
      cross join lateral (select (array['archived', 'archived', 'needs_input', 'failed'])[1 + n % 4] as status) as chosen
    `.execute(db)
    await sql`
      insert into turns (session_id, sequence, source, prompt, state, outcome, failed_starts, created_at)
      select id, number, case when number = 3 and id % 20 = 0 then 'recovery' else 'create' end, repeat('prompt ', 30), 'ended',
        'completed', (id % 50 = 0)::int, now() - make_interval(hours => (id % 700)::int)
      from sessions, generate_series(1, 3) as number
      where title in (select 'Session ' || n from generate_series(${from}::int, ${to}::int) as n)
    `.execute(db)
    await sql`
      insert into session_logs (session_id, level, content, origin)
      select id, case when id % 10 = 0 then 'error' else 'info' end, repeat('line ', 30), 'service'
      from sessions, generate_series(1, 3)
      where title in (select 'Session ' || n from generate_series(${from}::int, ${to}::int) as n)
    `.execute(db)
  }
  // Straight into the table: adding jobs one by one takes minutes.
  await sql`
    select graphile_worker.add_job(name, '{}', run_at => now() + interval '1 day')
    from unnest(array['tidy_clone@gone', 'look_at_clis', 'announce_rest', 'receive_chat_message']) as name
  `.execute(db)
  await sql`
    insert into graphile_worker._private_jobs (task_id, run_at)
    select id, now() + interval '1 day'
    from graphile_worker._private_tasks, generate_series(1, ${jobs / 4}::int)
    where identifier in ('tidy_clone@gone', 'look_at_clis', 'announce_rest', 'receive_chat_message')
  `.execute(db)
  await sql`vacuum analyze`.execute(db)
}
