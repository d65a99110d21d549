import { spawn } from 'node:child_process'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { cleanUpProcesses, withCooldown } from '../../../src/domain/maintenance/maintenance.ts'
import { resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { newRunMarker, runMarkerVariable } from '../../../src/platform/process/run-marker.ts'
import { client, expectProblem, startTestApp, testApp } from '../../support/app/app.ts'
import { stopQueue } from '../../support/jobs/stop-queue.ts'
import { insertRunningSession, insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { API_KEYS: 'test-key,other-key' } })
const actions = ['cleanup_processes', 'retry_sessions', 'archive_old'] as const

/** As if the cooldown had passed. */
async function coolDown(): Promise<void> {
  await app.host.app.cache.close()
}

async function act(action: (typeof actions)[number], body: unknown = {}) {
  await coolDown()
  return app.post(`/health/${action}`, body)
}

describe('the cooldown of maintenance actions', () => {
  test.each(actions)(
    'POST /health/%s a second time within 30 seconds is answered 429 with the seconds left',
    async (action) => {
      expect((await act(action)).status).toBe(200)
      const refused = await app.post(`/health/${action}`, {})
      expectProblem(refused, 429, 'Rate limited')
      expect(refused.body.message).toContain('Please wait 30 seconds between actions')
      expect(refused.body.retry_after).toBeGreaterThan(20)
      expect(refused.body.retry_after).toBeLessThanOrEqual(30)
      expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after))
    },
  )

  test('the cooldown of maintenance actions is per key and per action', async () => {
    expect((await act('archive_old')).status).toBe(200)
    expect((await app.post('/health/retry_sessions', {})).status).toBe(200)
    expect((await client(app.url, 'other-key').post('/health/archive_old', {})).status).toBe(200)
    expect((await app.post('/health/archive_old', {})).status).toBe(429)
  })

  test('the cooldown of maintenance actions tells the real remainder, and a refused body does not start it', async () => {
    await coolDown()
    expect((await app.post('/health/archive_old', { days: 'x' })).status).toBe(422)
    expect((await app.post('/health/archive_old', {})).status).toBe(200)
    const { cache, clock } = app.host.app
    const original = clock.now
    onTestFinished(() => {
      clock.now = original
    })
    clock.now = () => new Date(original().getTime() + 12_000)
    expect((await app.post('/health/archive_old', {})).body.retry_after).toBeLessThanOrEqual(18)
    clock.now = () => new Date(original().getTime() + 30_500)
    expect((await app.post('/health/archive_old', {})).status).toBe(200)
    await cache.close()
  })

  test.each(actions)('of ten simultaneous calls of POST /health/%s with one key exactly one runs', async (action) => {
    await coolDown()
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.post(`/health/${action}`, {})))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(429)])
    for (const { status, body } of answers) if (status === 429) expect(body.retry_after).toBeGreaterThan(20)
  })

  test('an action that fails does not start the cooldown', async () => {
    await coolDown()
    const asker = { surface: 'REST API', key: 'failing' } as const
    const run = async () => Promise.reject(new Error('it failed'))
    await expect(withCooldown(app.host.app, 'archive_old', asker, run)).rejects.toThrow('it failed')
    expect(await withCooldown(app.host.app, 'archive_old', asker, async () => 'done')).toBe('done')
    await expect(withCooldown(app.host.app, 'archive_old', asker, async () => 'again')).rejects.toThrow('Please wait')
  })

  test('an action that is done answers so, also when the cache fails meanwhile', async () => {
    const asker = { surface: 'REST API', key: 'losing' } as const
    vi.spyOn(app.host.app.cache, 'set').mockRejectedValueOnce(new Error('gone'))
    expect(await withCooldown(app.host.app, 'archive_old', asker, async () => 'done')).toBe('done')
    await expect(withCooldown(app.host.app, 'archive_old', asker, async () => 'again')).rejects.toThrow('Please wait')
  })

  test('without a usable cache the three actions answer 503, and everything else of health works', async () => {
    const { app: other, stop } = await startTestApp({ environment: { ROLE: 'web', CACHE: 'none' } })
    try {
      for (const action of actions)
        expectProblem(
          await other.post(`/health/${action}`, {}),
          503,
          'Rate limiting unavailable',
          'The cache is unavailable, so the 30-second cooldown cannot be enforced.',
        )
      expect((await other.get('/health')).status).toBe(200)
      expect((await other.get('/health/queued_jobs')).status).toBe(200)
      expect((await other.post('/health/exit_queue_recovery_mode')).status).toBe(200)
      expect((await other.post('/health/discard_queued_jobs', { queue_name: 'maintenance' })).status).toBe(422)
    } finally {
      await stop()
    }
  })
})

describe('POST /health/retry_sessions', () => {
  const failedSession = (columns: Record<string, unknown> = {}) =>
    insertSession(app.pool, { status: 'failed', ...columns })
  // The turn of a session that was retried would fail at once, and the session could be retried again.
  beforeAll(async () => {
    await stopQueue(app.host.app.db, 'agents')
    return () => resumeQueue(app.host.app.db, 'agents')
  })

  test('POST /health/retry_sessions starts failed sessions again and says why it skipped the others', async () => {
    const [failed, resting] = [await failedSession(), await insertSession(app.pool, { status: 'needs_input' })]
    const { body } = await act('retry_sessions', { session_ids: [failed, String(resting), 999_999] })
    expect(body).toEqual({
      retried: [failed],
      failed: [],
      skipped: [
        { session_id: resting, reason: 'Session is not failed: its status is needs_input' },
        { session_id: 999_999, reason: 'There is no such session' },
      ],
    })
    const { rows } = await app.pool.query('select count(*)::int as turns from turns where session_id = $1', [failed])
    expect(rows).toEqual([{ turns: 1 }])
  })

  test('POST /health/retry_sessions skips a session that cannot be restarted, and a fault is reported as one', async () => {
    const [lost, broken] = [await failedSession(), await failedSession()]
    await insertTranscript(app.pool, lost, ['{}'])
    await app.pool.query(`
      create function break_session() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update on sessions for each row when (new.id = ${broken}) execute function break_session()`)
    onTestFinished(async () => void (await app.pool.query('drop function break_session cascade')))
    expect((await act('retry_sessions', { session_ids: [lost, broken] })).body).toEqual({
      retried: [],
      failed: [{ session_id: broken, reason: expect.stringContaining('internal error') }],
      skipped: [{ session_id: lost, reason: 'Session has no session_id' }],
    })
  })

  test('POST /health/retry_sessions without ids takes at most 10 of the last day, none of a frozen category', async () => {
    await app.pool.query("update sessions set status = 'needs_input' where status = 'failed'")
    const { body: frozen } = await app.post('/categories', { name: 'Frozen', is_frozen: true })
    const cold = await failedSession({ category_id: frozen.category?.id ?? frozen.id })
    const old = await failedSession({ updated_at: new Date(Date.now() - 25 * 3_600_000) })
    for (let count = 0; count < 11; count += 1) await failedSession()
    const { body } = await act('retry_sessions')
    expect(body.retried).toHaveLength(10)
    expect(body.retried).not.toContain(cold)
    expect(body.retried).not.toContain(old)
    expect((await act('retry_sessions', { session_ids: [cold] })).body.retried).toEqual([cold])
  })

  test.each([
    ['a text', '7'],
    ['an object', { id: 7 }],
    ['a list with a word', [7, 'seven']],
    ['a list with a fraction', [1.5]],
    ['too many', Array.from({ length: 101 }, (_, index) => index + 1)],
  ])('POST /health/retry_sessions refuses %s as session_ids with 422', async (_, ids) => {
    expectProblem(await act('retry_sessions', { session_ids: ids }), 422, 'Validation failed')
  })

  test('POST /health/retry_sessions twice at once starts a session once', async () => {
    const id = await failedSession()
    await coolDown()
    const answers = await Promise.all([
      app.post('/health/retry_sessions', { session_ids: [id] }),
      client(app.url, 'other-key').post('/health/retry_sessions', { session_ids: [id] }),
    ])
    expect(answers.flatMap(({ body }) => body.retried)).toEqual([id])
  })
})

describe('POST /health/archive_old', () => {
  const idle = (days: number, columns: Record<string, unknown> = {}) =>
    insertSession(app.pool, { status: 'needs_input', updated_at: new Date(Date.now() - days * 86_400_000), ...columns })

  test('POST /health/archive_old archives what is idle, and leaves what runs, is queued for or is younger', async () => {
    const [old, failed, young] = [await idle(8), await idle(9, { status: 'failed' }), await idle(6)]
    const [withMessage, waiting] = [await idle(8), await idle(8, { status: 'waiting' })]
    const running = await insertRunningSession(app.pool, { updated_at: new Date(0) })
    await app.pool.query(
      "insert into enqueued_messages (session_id, position, content, status) values ($1, 1, 'hello', 'pending')",
      [withMessage],
    )
    await app.pool.query(
      "insert into turns (session_id, sequence, source, prompt, created_at, retry_at) values ($1, 1, 'create', 'say hi', now(), now() + interval '1 day')",
      [waiting],
    )
    const { body } = await act('archive_old')
    expect(body.archived).toEqual(expect.arrayContaining([old, failed]))
    for (const id of [young, withMessage, waiting, running]) expect(body.archived).not.toContain(id)
    expect(body.skipped).toEqual(
      expect.arrayContaining([
        { session_id: withMessage, reason: expect.stringContaining('1 queued message') },
        { session_id: waiting, reason: 'It has a turn that runs or waits to run' },
      ]),
    )
    expect(body).toMatchObject({ failed: [], remaining: 0 })
    expect((await app.get(`/sessions/${old}`)).body.session.status).toBe('archived')
  })

  test('POST /health/archive_old counts days by the clock of the database, not of the host', async () => {
    const recent = await idle(1)
    const { clock } = app.host.app
    const original = clock.now
    onTestFinished(() => {
      clock.now = original
    })
    clock.now = () => new Date(original().getTime() + 30 * 86_400_000)
    expect((await act('archive_old', { days: 7 })).body.archived).not.toContain(recent)
  })

  test('a fault with one session does not keep archive_old from the others, and is reported with it', async () => {
    const [broken, old] = [await idle(8), await idle(8)]
    await app.pool.query(`
      create function break_session() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update on sessions for each row when (new.id = ${broken}) execute function break_session()`)
    onTestFinished(async () => void (await app.pool.query('drop function break_session cascade')))
    const { status, body } = await act('archive_old')
    expect(status).toBe(200)
    expect(body.archived).toContain(old)
    expect(body.failed).toEqual([{ session_id: broken, reason: expect.stringContaining('internal error') }])
  })

  test.each([
    [0, 1],
    [999, 365],
    ['30', 30],
    [null, 7],
  ])('POST /health/archive_old with %s days means %s', async (days, meant) => {
    const [older, younger] = [await idle(meant + 0.1), await idle(meant - 0.1)]
    const { status, body } = await act('archive_old', { days })
    expect(status).toBe(200)
    expect(body.archived).toContain(older)
    expect(body.archived).not.toContain(younger)
  })
})

describe('POST /health/cleanup_processes', () => {
  /** A process as an agent's run leaves it: with its marker and a home in ours, in a group of its own. */
  function leftover(home = app.home) {
    const marker = newRunMarker()
    const child = spawn('sleep', ['4321'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, [runMarkerVariable]: marker, HOME: `${home}/runtimes/1` },
    })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    onTestFinished(() => void child.kill('SIGKILL'))
    return { pid: child.pid ?? 0, marker, ended, isRunning: () => child.exitCode === null && child.signalCode === null }
  }

  test('POST /health/cleanup_processes ends processes that no turn owns, and leaves those of runs and of other homes', async () => {
    const [orphan, owned, foreign] = [leftover(), leftover(), leftover('/somewhere/else')]
    app.host.app.runs.add(owned.marker)
    onTestFinished(() => void app.host.app.runs.delete(owned.marker))
    const { body } = await act('cleanup_processes')
    await orphan.ended
    expect(body).toMatchObject({
      terminated: [orphan.pid],
      failed: [],
      already_dead: [],
      hosts: [{ host: app.host.app.home.hostId, terminated: [orphan.pid], error: null }],
    })
    expect([owned.isRunning(), foreign.isRunning()]).toEqual([true, true])
  })

  test('a host that fails to clean up is reported, and does not fail the action', async () => {
    const { home } = app.host.app
    const broken = { ...app.host.app, runs: undefined as never }
    expect(await cleanUpProcesses(broken)).toEqual({
      terminated: [],
      failed: [],
      already_dead: [],
      hosts: [
        {
          host: home.hostId,
          terminated: [],
          failed: [],
          already_dead: [],
          error: expect.stringContaining('internal error'),
        },
      ],
    })
  })

  test('POST /health/cleanup_processes reaches the host that runs turns from one that only answers requests', async () => {
    const { app: web, stop } = await startTestApp({
      environment: { ROLE: 'web', DATABASE_URL: app.databaseUrl, YARDMASTER_HOME: `${app.shared}/web-home` },
    })
    try {
      const orphan = leftover()
      const { body } = await web.post('/health/cleanup_processes')
      await orphan.ended
      expect(body.hosts).toMatchObject([{ host: app.host.app.home.hostId, terminated: [orphan.pid] }])
    } finally {
      await stop()
    }
  })
})
