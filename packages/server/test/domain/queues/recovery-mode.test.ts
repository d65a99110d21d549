import { describe, expect, test } from 'vitest'
import type { App } from '../../../src/domain/app.ts'
import { enterRecoveryMode, exitRecoveryMode } from '../../../src/domain/queues/recovery-mode.ts'
import { pauseQueue, resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { expectProblem, startTestApp, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { testDatabase } from '../../support/database/database.ts'
import { enqueueWord, handleJob, openTestDatabase, startJobHost, wordJob } from '../../support/jobs/job-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { silentLog } from '../../support/log/silent-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const enter = (body?: unknown) => app.post('/health/enter_queue_recovery_mode', body)
const exit = () => app.post('/health/exit_queue_recovery_mode')
const show = async () => (await app.get('/health/queue_recovery_mode')).body
const halted = ['pollers', 'triggers', 'inference', 'maintenance', 'default']

const off = {
  active: false,
  entered_at: null,
  expires_at: null,
  expires_in_seconds: null,
  reason: null,
  entered_by: null,
  halted_queues: halted,
  paused_queues: [],
  live_queues: ['agents', 'pushes'],
}

describe('queue recovery mode', () => {
  test('queue recovery mode is off at first, and leaving it is safe to repeat', async () => {
    expect(await show()).toEqual(off)
    for (let round = 0; round < 2; round += 1) expect(await exit()).toMatchObject({ status: 200, body: off })
  })

  test('queue recovery mode keeps its beginning and its reason when it is entered again, and takes a new reason', async () => {
    const first = (await enter({ reason: ' stampede ', ttl_minutes: 30 })).body
    expect(first).toMatchObject({
      active: true,
      reason: 'stampede',
      entered_by: 'REST API',
      halted_queues: halted,
      paused_queues: halted.toSorted(),
    })
    expect(first.expires_in_seconds).toBeGreaterThan(29 * 60 - 5)
    const again = (await enter({ ttl_minutes: 60 })).body
    expect(again).toMatchObject({ entered_at: first.entered_at, reason: 'stampede' })
    expect(again.expires_in_seconds).toBeGreaterThan(59 * 60 - 5)
    expect((await enter({ reason: 'still' })).body).toMatchObject({ entered_at: first.entered_at, reason: 'still' })
    expect(await show()).toMatchObject({ active: true, reason: 'still' })
    expect((await exit()).body).toEqual(off)
  })

  test('queue recovery mode stores its reason without secrets, because the health page needs no key', async () => {
    const secret = `ghp_${'aB3'.repeat(12)}`
    const { body } = await enter({ reason: `the token ${secret} floods us` })
    expect(body.reason).toMatch(/^the token .* floods us$/)
    const { rows } = await app.pool.query('select reason from queue_recovery')
    expect(JSON.stringify([body, rows])).not.toContain(secret)
    await exit()
  })

  test.each([
    [1, 5],
    [9999, 240],
    ['', 60],
    [undefined, 60],
    ['45', 45],
  ])('queue recovery mode for %s minutes lasts %s', async (ttl, minutes) => {
    await app.pool.query(
      "insert into queue_recovery values (true, now() - interval '1 min', now() + interval '1 min', null, 'test') on conflict do nothing",
    )
    const { body } = await enter({ ttl_minutes: ttl })
    expect(Math.round(body.expires_in_seconds / 60)).toBe(minutes)
    await exit()
  })

  test('queue recovery mode refuses minutes that are no number with 422 and changes nothing', async () => {
    for (const ttl of ['long', 2.5, [5]]) {
      const answer = await changesNothing(app.pool, () => enter({ ttl_minutes: ttl }))
      expectProblem(answer, 422, 'Validation failed', 'Ttl minutes must be a whole number')
    }
  })

  test('queue recovery mode reads as off the moment it has expired, although no process has ended it', async () => {
    await app.pool.query(
      "insert into queue_recovery values (true, now() - interval '1 hour', now() - interval '1 second', 'old', 'test')",
    )
    expect(await show()).toEqual(off)
    expect((await enter()).body).toMatchObject({ active: true, reason: null })
    await exit()
  })

  test('queue recovery mode leaves a queue paused that a person paused by hand', async () => {
    await pauseQueue(app.host.app.db, 'pollers', 'by hand')
    expect((await exit()).body.paused_queues).toEqual(['pollers'])
    await resumeQueue(app.host.app.db, 'pollers')
  })

  test('queue recovery mode answers 503 where pauses are switched off, and leaving it still answers 200', async () => {
    const { app: other, stop } = await startTestApp({ environment: { ROLE: 'web', QUEUE_PAUSES: 'off' } })
    try {
      expectProblem(await other.post('/health/enter_queue_recovery_mode'), 503, 'Queue recovery mode unavailable')
      expect((await other.post('/health/exit_queue_recovery_mode')).body).toEqual(off)
    } finally {
      await stop()
    }
  })
})

describe('500 jobs are due when queue recovery mode is entered', () => {
  test('a job whose claim the database answers only after the mode was entered starts when the mode is left', async () => {
    const { url } = await testDatabase()
    const { db, pool } = openTestDatabase(url)
    const [ordinary, agents] = [wordJob('default'), wordJob('agents')]
    const started: string[] = []
    const handlers = [ordinary, agents].map((job) => handleJob(job, async ({ word }) => void started.push(word)))
    await pool.query(`
      create function wait_for_test() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(4242); return new; end';
      create trigger wait_for_test before update on graphile_worker._private_jobs
        for each row when (old.locked_at is null and new.locked_at is not null) execute function wait_for_test()
    `)
    const holder = await pool.connect()
    await holder.query('select pg_advisory_lock(4242)')
    await startJobHost({ url, handlers })
    await enqueueWord(db, ordinary, 'late')
    const claiming = async () =>
      (await pool.query("select from pg_locks where locktype = 'advisory' and objid = 4242 and not granted")).rowCount
    await eventually(claiming, (count) => count === 1)
    const events = { publish: async () => undefined } as unknown as App['events'] // nothing listens here
    const room = { db, log: silentLog, events, hasPauses: true } as App // all that recovery mode uses
    await enterRecoveryMode(room, { ttlMinutes: 5, reason: undefined, by: 'test' })
    await holder.query('select pg_advisory_unlock(4242)')
    holder.release()
    // Its claim comes after that of the late job.
    await enqueueWord(db, agents, 'a turn')
    await eventually(
      async () => started,
      (words) => words.includes('a turn'),
    )
    expect(started).toEqual(['a turn'])
    await exitRecoveryMode(room)
    await eventually(
      async () => started,
      (words) => words.includes('late'),
    )
  })

  test('nothing of the halted queues starts after the answer, turns go on, and leaving or expiry resumes all', async () => {
    const { url } = await testDatabase()
    const { db, pool } = openTestDatabase(url)
    const [ordinary, agents] = [wordJob('default'), wordJob('agents')]
    const started = { ordinary: [] as number[], agents: [] as number[] }
    const pausing = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    const handlers = [
      handleJob(ordinary, async () => {
        started.ordinary.push(performance.now())
        // So long that some are left when a busy machine has entered the mode.
        await pausing(50)
      }),
      handleJob(agents, async () => {
        started.agents.push(performance.now())
        await pausing(15)
      }),
    ]
    await pool.query(
      "select graphile_worker.add_job(name, '{\"word\": \"w\"}') from generate_series(1, 500), unnest(array['default_word', 'agents_word']) as name",
    )
    await Promise.all([startJobHost({ url, handlers }), startJobHost({ url, handlers })])
    const { log, records } = recordedLog()
    const events = { publish: async () => undefined } as unknown as App['events'] // nothing listens here
    const room = { db, log, events, hasPauses: true } as App // all that recovery mode uses

    await enterRecoveryMode(room, { ttlMinutes: 5, reason: undefined, by: 'test' })
    const answeredAt = performance.now()
    const before = started.agents.length
    await enqueueWord(db, agents, 'a turn')
    await eventually(
      async () => started.agents.length,
      (count) => count > before + 5 || count === 501,
    )
    expect(started.ordinary.filter((at) => at > answeredAt)).toEqual([])
    const waiting = async () => {
      const { rows } = await pool.query(
        "select count(*)::int as count from graphile_worker.jobs where task_identifier = 'default_word'",
      )
      return rows[0].count as number
    }
    const left = await waiting()
    expect(left).toBeGreaterThan(0)

    await pool.query("update queue_recovery set entered_at = now() - interval '1 hour', expires_at = now()")
    await eventually(waiting, (count) => count < left)

    await enterRecoveryMode(room, { ttlMinutes: 5, reason: undefined, by: 'test' })
    await exitRecoveryMode(room)
    await eventually(waiting, (count) => count === 0)
    expect(started.ordinary).toHaveLength(500)
    expect(records().map(({ msg }) => msg)).toContain('queue recovery mode is on: only turns and pushes run')
  })

  test('a host whose reading of the pauses is too old starts no job until it has read them again', async () => {
    const { url } = await testDatabase()
    const { db, pool } = openTestDatabase(url)
    const job = wordJob('default')
    const begun: string[] = []
    await startJobHost({ url, log: silentLog, handlers: [handleJob(job, async ({ word }) => void begun.push(word))] })
    const blocker = await pool.connect()
    await blocker.query('begin')
    await blocker.query('lock table paused_queues in access exclusive mode')
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await enqueueWord(db, job, 'late')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(begun).toEqual([])
    await blocker.query('commit')
    blocker.release()
    await eventually(
      async () => begun,
      (words) => words.includes('late'),
    )
  })
})
