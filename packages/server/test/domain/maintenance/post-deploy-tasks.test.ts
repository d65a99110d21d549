import { describe, expect, test } from 'vitest'
import { discardForgottenJobs } from '../../../src/domain/maintenance/discard-forgotten-jobs.ts'
import { testApp } from '../../support/app/app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()

const task = { version: '20260101000000', name: 'from_another_version' }

describe('POST /health/run_post_deploy_tasks', () => {
  test('POST /health/run_post_deploy_tasks arms failed tasks again and answers with the summary, as often as it is asked', async () => {
    await app.pool.query(
      `insert into post_deploy_tasks (version, name, status, failures, attempts, next_attempt_at, last_error, last_error_at)
       values ($1, $2, 'failed', 6, 6, null, 'Error: x', now())`,
      [task.version, task.name],
    )
    const blocked = await healthReport(app)
    expect(blocked.post_deploy_task_health).toMatchObject({ blocked: 1, failed: 1, status: { status: 'critical' } })
    expect(blocked.overall_status.status).toBe('critical')

    const { status, body } = await app.post('/health/run_post_deploy_tasks')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      rearmed: 1,
      enqueued: true,
      failed: 0,
      blocked: 0,
      tasks: expect.arrayContaining([
        expect.objectContaining({ ...task, status: 'pending', registered: false, failures: 0, blocked: false }),
      ]),
    })
    expect((await app.post('/health/run_post_deploy_tasks', {})).body).toMatchObject({ rearmed: 0, enqueued: true })
  })
})

const isDone = async (): Promise<boolean> => {
  const { rows } = await app.pool.query('select status from post_deploy_tasks where version = $1', [
    discardForgottenJobs.version,
  ])
  return rows[0]?.status === 'succeeded'
}

describe('the jobs of forgotten hosts', () => {
  test('the jobs of forgotten hosts are discarded once, and those of known hosts stay', async () => {
    // The host does it too, once, soon after its start.
    await eventually(isDone, (done) => done)
    const { hostId } = app.host.app.home
    const due = "run_at => now() + interval '1 day'"
    for (const host of ['gone-1', 'gone-2', 'gone-2', hostId])
      await app.pool.query(`select graphile_worker.add_job('tidy_clone@' || $1, '{"sessionId": 1}', ${due})`, [host])
    const slice = { stats: {}, signal: AbortSignal.abort() }
    const first = await discardForgottenJobs.run(app.host.app, { ...slice, cursor: null })
    expect(first).toEqual({ cursor: { host: 'gone-1' }, stats: { discarded: 1 } })
    const rest = { cursor: first.cursor ?? null, stats: first.stats, signal: new AbortController().signal }
    expect(await discardForgottenJobs.run(app.host.app, rest)).toEqual({ stats: { discarded: 3 } })
    const { rows } = await app.pool.query(
      "select split_part(task_identifier, '@', 2) as host from graphile_worker.jobs where attempts < max_attempts and task_identifier like 'tidy_clone@%'",
    )
    expect(rows).toEqual([{ host: hostId }])
  })

  test('a host that starts has done its one-time tasks soon after', async () => {
    await eventually(isDone, (done) => done)
  })
})
