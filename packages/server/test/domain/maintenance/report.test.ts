import { describe, expect, onTestFinished, test } from 'vitest'
import { modules } from '../../../src/app/modules.ts'
import { commit, version } from '../../../src/platform/version.ts'
import { testApp } from '../../support/app/app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const worker = testApp()
/** No host of its database runs turns or jobs. */
const quiet = testApp({ environment: { ROLE: 'web' } })

const report = (app = quiet) => healthReport(app)

describe('GET /health', () => {
  test('GET /health has the keys of the specification, and every section a status', async () => {
    const { status, body } = await quiet.get('/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      rails_env: expect.any(String),
      ruby_version: process.versions.node,
      version,
      commit,
      queue_recovery_mode: { active: false },
    })
    const { generated_at, overall_status, ...sections } = body.health_report
    expect(Object.keys(sections)).toEqual([
      'process_health',
      'session_health',
      'system_health',
      'background_health',
      'egress_health',
      'auth_health',
      'agent_confinement',
      'web_auth',
      'retry_budget_health',
      'sigterm_retry_health',
      'api_error_retry_health',
      'post_deploy_task_health',
      'log_retention_health',
    ])
    for (const section of Object.values(sections))
      expect(section).toMatchObject({
        status: { status: expect.stringMatching(/^(healthy|warning|critical|unknown)$/), message: expect.any(String) },
      })
    expect(overall_status).toMatchObject({ status: 'critical', message: 'One or more critical issues detected' })
    expect(sections).toMatchObject({ system_health: { status: { code: 'no_workers' } } })
  })

  test('GET /health of a host at work says that everything is operational, and knows its processes, tasks and confinement', async () => {
    const { home, confinement } = worker.host.app
    const seen = await eventually(
      () => report(worker),
      ({ process_health, background_health }) =>
        process_health.observable &&
        background_health.periodic.every(({ last_run_at }: { last_run_at: unknown }) => last_run_at),
    )
    expect(seen.overall_status).toEqual({ status: 'healthy', message: 'All systems operational', code: null })
    expect(seen.system_health.worker_stats).toMatchObject({
      total_workers: 1,
      active_workers: 1,
      worker_details: [{ id: home.hostId, is_active: true, turns: 0 }],
    })
    expect(seen.agent_confinement.hosts).toEqual([
      {
        host: home.hostId,
        hostname: expect.any(String),
        mode: confinement.mode,
        mechanism: confinement.mechanism,
        sentence: confinement.sentence,
      },
    ])
    const declared = modules.flatMap(({ periodic = [] }) => periodic.map(({ name }) => name))
    expect(seen.background_health.periodic.map(({ name }: { name: string }) => name)).toEqual(declared)
    expect(seen.background_health.subscriptions.length).toBeGreaterThan(0)
    expect(seen.system_health.database_status).toMatchObject({ connected: true, pool_size: 20 })
    expect(seen.log_retention_health).toMatchObject({ retention_days: 90, verbose_retention_days: 14 })
    expect(seen.post_deploy_task_health).toMatchObject({ succeeded: 1, failed: 0, awaiting_first_tick: 0 })
  })

  test('GET /health counts jobs by state and queue: pending is exactly ready, scheduled and claimed', async () => {
    const { pool } = quiet
    onTestFinished(async () => void (await pool.query('delete from graphile_worker._private_jobs')))
    const add = (job: string, count: number, due: string) =>
      pool.query(`select graphile_worker.add_job($1, '{}', run_at => ${due}) from generate_series(1, ${count})`, [job])
    await add('look_at_clis', 3, "now() - interval '90 seconds'")
    await add('announce_rest', 2, "now() + interval '1 hour'")
    await add('run_turn@gone', 1, 'now()')
    await add('of_another_version', 1, 'now()')
    await pool.query(
      "update graphile_worker._private_jobs set locked_at = now() - interval '40 seconds', locked_by = 'w', attempts = 1 where id = (select min(id) from graphile_worker.jobs)",
    )
    await pool.query(
      "update graphile_worker._private_jobs set last_error = 'x', attempts = max_attempts where id = (select max(id) from graphile_worker.jobs)",
    )
    await pool.query(
      "insert into job_counts values (date_trunc('minute', now()), 'look_at_clis', 'maintenance', 7, 1, now() - interval '5 seconds')",
    )
    const { queue_depth, queue_stats: stats } = (await report()).system_health
    expect(stats).toMatchObject({
      pending_count: 6,
      ready_count: 3,
      scheduled_count: 2,
      claimed_count: 1,
      dead_count: 1,
      ready_count_by_queue: { maintenance: 2, agents: 1 },
      scheduled_count_by_queue: { default: 2 },
      claimed_count_by_queue: { maintenance: 1 },
      oldest_claimed_job_class_by_queue: { maintenance: 'look_at_clis' },
      processing_rate_per_hour: 8,
      finished_last_hour_by_queue: { maintenance: 8 },
    })
    expect(queue_depth).toBe(stats.ready_count)
    expect(stats.ready_count_by_queue).not.toHaveProperty('default')
    expect(stats.oldest_ready_age_seconds_by_queue.maintenance).toBeGreaterThanOrEqual(90)
    expect(stats.oldest_claimed_age_seconds).toBeGreaterThanOrEqual(40)
    expect(stats.seconds_since_last_finished).toBeGreaterThanOrEqual(5)
  })

  test('GET /health tells the processes and the silence of every host', async () => {
    const { pool } = quiet
    onTestFinished(
      async () => void (await pool.query('delete from hosts; delete from host_reports; delete from turns')),
    )
    const process = (pid: number, is_orphaned: boolean) => ({
      pid,
      pids: [pid, pid + 1],
      command: 'agent',
      is_orphaned,
    })
    const hostReport = (processes: object[]) => ({
      hostname: 'one',
      version: '0',
      confinement: { mode: 'auto', mechanism: 'none', sentence: 'Agents are not confined.' },
      processes,
      egress: {
        checked: ['forge.test'],
        failed: [{ name: 'forge.test', reason: 'ENOTFOUND' }],
        resolver: null,
        degraded_since: '2026-01-01T00:00:00Z',
      },
    })
    await pool.query("insert into hosts values ('a', now()), ('b', now()), ('c', '-infinity')")
    await pool.query("insert into host_reports values ('a', $1, now()), ('b', $2, now() - interval '5 minutes')", [
      hostReport([process(10, true), process(20, false)]),
      hostReport([process(30, true)]),
    ])
    const [onA, onB] = [await insertRunningSession(pool), await insertRunningSession(pool)]
    await pool.query(
      "update turns set lease_owner = 'a', pid = 21, started_at = now() - interval '1 min' where session_id = $1",
      [onA],
    )
    await pool.query("update turns set lease_owner = 'b', pid = 30 where session_id = $1", [onB])
    const { process_health, system_health, egress_health, agent_confinement, overall_status } = await report()
    expect(process_health).toMatchObject({
      active_count: 2,
      orphaned_count: 1,
      orphaned_processes: [{ host: 'a', pid: 10, command: 'agent', running: true, processes: 2 }],
      recorded_count: 2,
      recorded_processes: [
        { session_id: onA, host: 'a', pid: 21, liveness: 'alive' },
        { session_id: onB, host: 'b', pid: 30, liveness: 'unknown' },
      ],
      observable: false,
      status: { status: 'warning', message: '1 orphaned process detected' },
    })
    expect(system_health.worker_stats).toMatchObject({ total_workers: 3, active_workers: 2 })
    expect(egress_health).toMatchObject({
      status: { status: 'critical', code: 'egress_degraded' },
      degraded_since: '2026-01-01T00:00:00Z',
    })
    expect(agent_confinement).toMatchObject({ status: { status: 'warning', code: 'agents_not_confined' } })
    expect(overall_status.status).toBe('critical')
  })

  test('GET /health reports failures by reason and kind, with at most 100 characters of the last error', async () => {
    const { pool } = quiet
    const failed = await insertSession(pool, { status: 'failed', metadata: { failure_reason: 'git_clone_failed' } })
    await insertSession(pool, { status: 'failed', updated_at: new Date(Date.now() - 2 * 86_400_000) })
    await pool.query(
      "insert into session_logs (session_id, level, content, origin) values ($1, 'error', $2, 'service')",
      [failed, `clone failed: timeout ${'x'.repeat(300)}`],
    )
    const { session_health, system_health } = await report()
    expect(session_health).toMatchObject({
      sessions_by_status: { failed: 2 },
      recent_failures: [{ id: failed, failure_reason: 'git_clone_failed' }],
      error_categories: { timeout: 1 },
      failure_reasons: { git_clone_failed: 1 },
      status: { status: 'critical' },
    })
    expect(session_health.recent_failures[0].last_error).toHaveLength(100)
    expect(system_health.recent_errors[0]).toMatchObject({ session_id: failed })
    expect(system_health.recent_errors[0].content).toHaveLength(200)
  })

  test('GET /health counts retries within their window', async () => {
    const { pool } = quiet
    const id = await insertSession(pool)
    const add = (sequence: number, columns: string) =>
      pool.query(
        `insert into turns (session_id, sequence, prompt, state, source, outcome, failed_starts, created_at) values ($1, $2, 'p', 'ended', ${columns})`,
        [id, sequence],
      )
    await add(1, "'create', 'failed', 2, now()")
    await add(2, "'recovery', 'completed', 0, now()")
    await add(3, "'recovery', 'completed', 0, now() - interval '40 days'")
    await add(4, "'recovery', 'completed', 0, now() - interval '2 days'")
    const { retry_budget_health, sigterm_retry_health, api_error_retry_health } = await report()
    expect(retry_budget_health.budgets).toMatchObject([
      {
        name: 'failed_starts',
        max_retries: 2,
        total_retries_attempted: 2,
        exhausted_retry_count: 1,
        recent_sessions: [{ id, slug: null, status: 'waiting', retry_count: 2, last_retry_at: expect.any(String) }],
      },
      { name: 'interruptions', max_retries: null, total_retries_attempted: 2, successful_recovery_count: 2 },
    ])
    expect(sigterm_retry_health).toMatchObject({
      total_sigterm_sessions: 1,
      current_delay_mode: 'normal',
      recent_sigterm_sessions: [
        {
          id,
          slug: null,
          title: null,
          status: 'waiting',
          git_root: expect.any(String),
          retry_count: 2,
          last_sigterm_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
        },
      ],
    })
    expect(api_error_retry_health).toMatchObject({
      total_api_error_sessions: 1,
      max_retries: 2,
      recent_api_error_sessions: [{ id, last_api_error_at: expect.stringMatching(/Z$/) }],
    })
  })

  test('GET /health reports the turns that rate limits ended within five minutes, and no pressure without any', async () => {
    const { pool } = quiet
    const id = await insertSession(pool)
    const end = (sequence: number, reason: string, ago: string) =>
      pool.query(
        `insert into turns (session_id, sequence, prompt, source, state, outcome, failure_reason, ended_at)
         values ($1, $2, 'p', 'create', 'ended', 'failed', $3, now() - $4::interval)`,
        [id, sequence, reason, ago],
      )
    const pressure = async () => {
      const { sigterm_retry_health: one, api_error_retry_health: other } = await report()
      expect([one.rate_limit_pressure, one.rate_limit_events_5min]).toEqual([
        other.rate_limit_pressure,
        other.rate_limit_events_5min,
      ])
      return other
    }
    await end(1, 'rate_limit', '6 minutes')
    await end(2, 'auth', '1 minute')
    expect(await pressure()).toMatchObject({ rate_limit_pressure: false, rate_limit_events_5min: 0 })
    await end(3, 'rate_limit', '4 minutes')
    await end(4, 'rate_limit', '1 minute')
    expect(await pressure()).toMatchObject({
      rate_limit_pressure: true,
      rate_limit_events_5min: 2,
      current_delay_mode: 'normal',
      status: { status: 'warning' },
    })
  })

  test('GET /health says unknown with the reason where a section fails, and answers 200 with all the others', async () => {
    await quiet.pool.query('alter table job_counts rename to job_counts_away')
    onTestFinished(async () => void (await quiet.pool.query('alter table job_counts_away rename to job_counts')))
    const { status, body } = await quiet.get('/health')
    expect(status).toBe(200)
    const { system_health, session_health, overall_status } = body.health_report
    expect(system_health).toEqual({
      status: { status: 'unknown', message: expect.stringContaining('job_counts'), code: 'section_failed' },
      database_status: { connected: true, pool_size: 20, connections_in_use: expect.any(Number), waiting: 0 },
    })
    expect(session_health.status.status).toBe('critical')
    expect(overall_status.status).toBe('critical')
  })

  test('GET /health does not wait for a database that hangs: what is not known in time is unknown', async () => {
    const blocker = await quiet.pool.connect()
    await blocker.query('begin')
    await blocker.query('lock table sessions, turns, hosts, queue_recovery in access exclusive mode')
    try {
      // A busy machine may have no time for the other sections either.
      const { status, body } = await eventually(
        () => quiet.get('/health'),
        (answer) => answer.body.health_report.log_retention_health.status.status === 'healthy',
      )
      expect(status).toBe(200)
      const { session_health, process_health, overall_status } = body.health_report
      for (const section of [session_health, process_health])
        expect(section).toEqual({
          status: { status: 'unknown', message: expect.any(String), code: 'section_failed' },
        })
      expect(overall_status.status).toBe('warning')
      expect(body.queue_recovery_mode).toBeNull()
    } finally {
      await blocker.query('rollback')
      blocker.release()
    }
  })
})
