import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { QueueName } from '../../../src/platform/jobs/queues.ts'
import { testApp } from '../../support/app/app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'

/** Runs nothing: the tests write what other hosts would. */
const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  for (const table of ['sessions', 'hosts', 'host_reports', 'job_counts', 'periodic_runs', 'paused_queues'])
    await app.pool.query(`delete from ${table}`)
  await app.pool.query('delete from post_deploy_tasks; delete from graphile_worker._private_jobs')
  await app.pool.query("insert into hosts values ('a', now())")
})

const report = () => healthReport(app)

function classOf(queue: QueueName): string {
  const found = [...app.host.app.queueOfJob].find(([, each]) => each === queue)
  if (!found) throw new Error(`no class of jobs is in ${queue}`)
  return found[0]
}

const due = (queue: QueueName, count: number, minutesAgo: number) =>
  app.pool.query(
    `select graphile_worker.add_job($1, '{}', run_at => now() - make_interval(mins => $3))
     from generate_series(1, $2::int)`,
    [classOf(queue), count, minutesAgo],
  )

const claimed = async (queue: QueueName, minutesAgo: number) => {
  await due(queue, 1, minutesAgo)
  await app.pool.query(
    `update graphile_worker._private_jobs
     set locked_at = now() - make_interval(mins => $1), locked_by = 'w', attempts = 1
     where id = (select max(id) from graphile_worker._private_jobs)`,
    [minutesAgo],
  )
}

const ended = (minutesAgo: number) =>
  app.pool.query(
    `insert into job_counts values (date_trunc('minute', now()), 'x', 'default', 1, 0, now() - make_interval(mins => $1))`,
    [minutesAgo],
  )

describe('the status of the queues', () => {
  const status = async () => (await report()).system_health.status

  test.each<[string, () => Promise<unknown>, string, string | null]>([
    ['49 jobs are due', () => due('default', 49, 0), 'healthy', null],
    ['50 jobs are due', () => due('default', 50, 0), 'warning', 'deep_queue'],
    ['100 jobs are due for 9 minutes', () => due('default', 100, 9), 'warning', 'deep_queue'],
    ['100 jobs are due for 11 minutes', () => due('default', 100, 11), 'critical', 'late_lane:default'],
    ['99 jobs are due for an hour', () => due('default', 99, 60), 'warning', 'deep_queue'],
    ['100 turns are due for 3 hours', () => due('agents', 100, 180), 'warning', 'deep_queue'],
    ['100 turns are due for 4 hours', () => due('agents', 100, 241), 'critical', 'late_lane:agents'],
    ['100 jobs of maintenance are due for half an hour', () => due('maintenance', 100, 30), 'warning', 'deep_queue'],
    [
      '100 jobs of maintenance are due for an hour',
      () => due('maintenance', 100, 61),
      'critical',
      'late_lane:maintenance',
    ],
  ])('while jobs end and %s it is as the limits of the queue say', async (_, arrange, expected, code) => {
    await ended(0)
    await arrange()
    expect(await status()).toMatchObject({ status: expected, code })
  })

  test('several late queues at once are a stall of the workers', async () => {
    await ended(0)
    await due('default', 100, 11)
    await due('maintenance', 100, 61)
    expect(await status()).toMatchObject({ status: 'critical', code: 'workers_stalled' })
  })

  test('a job that is due while nothing has ended for ten minutes is a stall', async () => {
    await due('default', 1, 11)
    await ended(9)
    expect(await status()).toMatchObject({ status: 'healthy' })
    await app.pool.query('delete from job_counts')
    await ended(11)
    expect(await status()).toMatchObject({ status: 'critical', code: 'execution_stalled' })
  })

  test('a queue whose workers are all stuck in old jobs is wedged, and one young job is enough that it is not', async () => {
    await ended(0)
    for (let count = 0; count < app.host.app.jobThreads.maintenance; count += 1) await claimed('maintenance', 91)
    expect(await status()).toMatchObject({ status: 'critical', code: 'wedged_lane:maintenance' })
    await app.pool.query(
      "update graphile_worker._private_jobs set locked_at = now() - interval '89 minutes' where id = (select max(id) from graphile_worker._private_jobs)",
    )
    expect(await status()).toMatchObject({ status: 'healthy' })
  })

  test('a queue that a person paused waits because it was told to', async () => {
    await due('default', 100, 60)
    await app.pool.query("insert into paused_queues values ('default', 'by hand')")
    expect(await status()).toMatchObject({ status: 'warning', code: 'queues_paused' })
  })
})

describe('the status of background work', () => {
  const run = (name: string, { host = 'a', minutesAgo = 0, failures = 0 } = {}) =>
    app.pool.query(
      `insert into periodic_runs (name, host_id, last_run_at, last_duration_ms, consecutive_failures, last_error)
       values ($1, $2, now() - make_interval(mins => $3), 1, $4, 'it failed')`,
      [name, host, minutesAgo, failures],
    )
  const background = async () => (await report()).background_health
  const task = async (name: string) =>
    (await background()).periodic.find((each: { name: string }) => each.name === name)

  test('a task that has not run for far longer than its interval is late, also if the host that ran it is gone', async () => {
    await run('post_deploy_tasks', { host: 'gone', minutesAgo: 60 })
    expect(await background()).toMatchObject({ status: { status: 'warning', code: 'periodic_late' } })
    expect(await task('post_deploy_tasks')).toMatchObject({ host: 'gone', is_late: true })
    await run('post_deploy_tasks', { host: 'a', minutesAgo: 1 })
    expect(await task('post_deploy_tasks')).toMatchObject({ host: 'a', is_late: false, lag_seconds: 0 })
  })

  test('a task of every host is late only on hosts that are alive', async () => {
    await run('report_host_health', { host: 'gone', minutesAgo: 60 })
    expect(await task('report_host_health')).toMatchObject({ host: null, is_late: false })
  })

  test('a task whose queue is paused is not late', async () => {
    await run('post_deploy_tasks', { minutesAgo: 60 })
    await app.pool.query("insert into paused_queues values ('maintenance', 'by hand')")
    expect(await task('post_deploy_tasks')).toMatchObject({ is_late: false })
  })

  test('a task that failed three times in a row is a warning, and most tasks standing still are critical', async () => {
    await run('post_deploy_tasks', { failures: 2 })
    expect((await background()).status.status).toBe('healthy')
    await app.pool.query('update periodic_runs set consecutive_failures = 3')
    expect((await background()).status).toMatchObject({ status: 'warning', code: 'periodic_failing' })
    await app.pool.query('delete from periodic_runs')
    for (const { name } of app.host.app.periodic) await run(name, { minutesAgo: 60 * 24 * 2 })
    expect((await background()).status).toMatchObject({ status: 'critical', code: 'periodic_stalled' })
  })

  test('a subscription with events that are older than two minutes is behind', async () => {
    await app.pool.query(
      `insert into event_subscriptions (name, kinds, position) values ('slow', array['odd.happened'], 0)`,
    )
    await app.pool.query(
      `insert into events (name, payload, position, created_at)
       values ('odd.happened', '{}', 1000000, now() - interval '3 minutes')`,
    )
    onTestFinished(
      async () =>
        void (await app.pool.query(
          "delete from event_subscriptions where name = 'slow'; delete from events where name = 'odd.happened'",
        )),
    )
    const { status, subscriptions } = await background()
    expect(status).toMatchObject({ status: 'warning', code: 'subscription_behind' })
    expect(subscriptions.find(({ name }: { name: string }) => name === 'slow').lag_seconds).toBeGreaterThanOrEqual(180)
  })

  test('a host whose clock is wrong by hours reports the same ages', async () => {
    await run('post_deploy_tasks', { minutesAgo: 1 })
    await ended(1)
    const { clock } = app.host.app
    const original = clock.now
    onTestFinished(() => {
      clock.now = original
    })
    for (const hours of [5, -5]) {
      clock.now = () => new Date(original().getTime() + hours * 3_600_000)
      const { background_health, system_health } = await report()
      expect(background_health.status.status).toBe('healthy')
      const { seconds_since_last_finished: seconds } = system_health.queue_stats
      expect([seconds >= 60, seconds < 600]).toEqual([true, true])
    }
  })
})

describe('the status of sessions, processes and one-time tasks', () => {
  test.each([
    [9, 100, 'healthy'],
    [10, 100, 'warning'],
    [24, 100, 'warning'],
    [25, 100, 'critical'],
  ])('%i failed sessions of %i are %s', async (failed, all, expected) => {
    await app.pool.query(
      `insert into sessions (status, agent_runtime, genesis, git_root, branch, config)
       select case when number <= $1 then 'failed' else 'needs_input' end, 'demo', 'api', '/tmp/none', 'main', '{}'
       from generate_series(1, $2::int) as number`,
      [failed, all],
    )
    const { session_health: health } = await report()
    expect([health.failure_rate, health.status.status]).toEqual([failed / all, expected])
  })

  test('the average duration is that of sessions that came to rest within a week', async () => {
    expect((await report()).session_health.average_duration_seconds).toBeNull()
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000)
    await insertSession(app.pool, { status: 'needs_input', created_at: at(3), updated_at: at(2) })
    await insertSession(app.pool, { status: 'archived', created_at: at(6), updated_at: at(3), archived_at: at(3) })
    await insertSession(app.pool, { status: 'failed', created_at: at(100), updated_at: at(1) })
    await insertSession(app.pool, {
      status: 'archived',
      created_at: at(2000),
      updated_at: at(200),
      archived_at: at(200),
    })
    expect((await report()).session_health.average_duration_seconds).toBe(7200)
  })

  const hostReport = (orphans: number) => ({
    hostname: 'one',
    version: '0',
    confinement: { mode: 'auto', mechanism: 'none', sentence: 'Agents are not confined.' },
    processes: Array.from({ length: orphans }, (_, pid) => ({
      pid: pid + 2,
      pids: [pid + 2],
      command: 'x',
      is_orphaned: true,
    })),
    egress: { checked: ['forge.test'], failed: [], resolver: null, degraded_since: null },
  })

  test.each([
    [0, 'healthy'],
    [1, 'warning'],
    [4, 'warning'],
    [5, 'critical'],
  ])('%i processes that no turn owns are %s', async (orphans, expected) => {
    await app.pool.query("insert into host_reports values ('a', $1, now())", [hostReport(orphans)])
    expect((await report()).process_health.status.status).toBe(expected)
  })

  test('processes on a host that is gone are not known, instead of in order', async () => {
    await app.pool.query("insert into host_reports values ('a', $1, now())", [hostReport(0)])
    const session = await insertRunningSession(app.pool)
    await app.pool.query("update turns set lease_owner = 'gone', pid = 77 where session_id = $1", [session])
    for (const statement of ['select 1', 'delete from hosts']) {
      await app.pool.query(statement)
      expect((await report()).process_health).toMatchObject({
        observable: false,
        recorded_processes: [{ session_id: session, host: 'gone', pid: 77, liveness: 'unknown' }],
        status: { status: 'unknown' },
      })
    }
  })

  test('the network is not known while no host has looked within a minute', async () => {
    const egress = async () => (await report()).egress_health.status
    expect(await egress()).toMatchObject({ status: 'unknown', message: 'No host has looked up names within a minute' })
    await app.pool.query("insert into host_reports values ('a', $1, now())", [hostReport(0)])
    expect(await egress()).toMatchObject({ status: 'healthy' })
    await app.pool.query("update host_reports set reported_at = now() - interval '2 minutes'")
    expect(await egress()).toMatchObject({ status: 'unknown' })
  })

  test('a failed one-time task is a warning, and one without further attempts makes the whole report critical', async () => {
    await ended(0)
    await app.pool.query(
      "insert into post_deploy_tasks (version, name, status, failures) values ('20990101000000', 'odd', 'failed', 1)",
    )
    const first = await report()
    expect([first.post_deploy_task_health.status.status, first.overall_status.status]).toEqual(['warning', 'warning'])
    await app.pool.query('update post_deploy_tasks set next_attempt_at = null')
    const second = await report()
    expect(second.post_deploy_task_health).toMatchObject({
      status: { status: 'critical', code: 'post_deploy_blocked' },
      failed: 1,
      blocked: 1,
      tasks: [{ name: 'odd', blocked: true, registered: false }],
    })
    expect(second.overall_status.status).toBe('critical')
  })
})
