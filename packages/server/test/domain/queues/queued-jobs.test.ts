import { describe, expect, onTestFinished, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'

/** Only answers requests, so that no job of these tests is run. */
const app = testApp({ environment: { ROLE: 'web' } })

type Row = { id: string; locked_by: string | null; attempts: number; max_attempts: number; last_error: string | null }

async function addJobs(job: string, count = 1, due = 'now()'): Promise<void> {
  await app.pool.query(
    `select graphile_worker.add_job($1, '{}', run_at => ${due}, max_attempts => 5) from generate_series(1, $2)`,
    [job, count],
  )
}

async function jobs(): Promise<Row[]> {
  const { rows } = await app.pool.query<Row>(
    'select id, locked_by, attempts, max_attempts, last_error from graphile_worker.jobs order by id',
  )
  return rows
}

async function noJobs(): Promise<void> {
  await app.pool.query('delete from graphile_worker._private_jobs')
}

/** Claims jobs as a worker does: one statement that skips what others have locked. */
function claim(count: number, worker = 'worker-1') {
  return app.pool.query(
    `update graphile_worker._private_jobs
     set locked_by = $2, locked_at = now(), attempts = attempts + 1
     where id in (
       select id from graphile_worker._private_jobs
       where locked_at is null and attempts < max_attempts
       limit $1 for update skip locked
     )`,
    [count, worker],
  )
}

const discard = (body: unknown) => app.post('/health/discard_queued_jobs', body)
const reschedule = (body: unknown) => app.post('/health/reschedule_queued_jobs', body)

describe('GET /health/queued_jobs', () => {
  test('GET /health/queued_jobs counts what waits by class and queue, largest first, without the agents queue', async () => {
    await noJobs()
    await addJobs('look_at_clis', 2)
    await addJobs('tidy_clone@some-host', 3, "now() + interval '1 hour'")
    await addJobs('announce_rest', 4)
    await addJobs('run_turn', 5)
    await addJobs('of_another_version', 1)
    await claim(0)
    const { status, body } = await app.get('/health/queued_jobs')
    expect(status).toBe(200)
    expect(body).toEqual({
      scope: { job_class: null, queue_name: null },
      matched: 10,
      by_job_class: { announce_rest: 4, tidy_clone: 3, look_at_clis: 2, of_another_version: 1 },
      by_queue: { maintenance: 5, default: 4, '(unknown)': 1 },
      over_cap: false,
      max_per_call: 2000,
    })
    expect(Object.keys(body.by_job_class)).toEqual([
      'announce_rest',
      'tidy_clone',
      'look_at_clis',
      'of_another_version',
    ])
  })

  test('GET /health/queued_jobs narrows by class, by queue and by both', async () => {
    const matched = async (query: string) => (await app.get(`/health/queued_jobs?${query}`)).body.matched
    expect(await matched('job_class=tidy_clone')).toBe(3)
    expect(await matched('queue_name=maintenance')).toBe(5)
    expect(await matched('queue_name=maintenance&job_class=look_at_clis')).toBe(2)
    expect(await matched('queue_name=default&job_class=look_at_clis')).toBe(0)
    expect(await matched('queue_name=&job_class=')).toBe(10)
    expect(await matched('queue_name=nowhere')).toBe(0)
  })

  test('GET /health/queued_jobs leaves out claimed and given-up jobs', async () => {
    await noJobs()
    await addJobs('announce_rest', 5)
    await claim(2)
    await app.pool.query(
      'update graphile_worker._private_jobs set attempts = max_attempts where id = (select max(id) from graphile_worker.jobs where locked_at is null)',
    )
    expect((await app.get('/health/queued_jobs')).body).toMatchObject({ matched: 2, by_queue: { default: 2 } })
  })

  test('GET /health/queued_jobs folds more than 25 classes into one number', async () => {
    await noJobs()
    for (let index = 10; index < 40; index += 1) await addJobs(`class_${index}`)
    const { body } = await app.get('/health/queued_jobs')
    expect(Object.entries(body.by_job_class)).toHaveLength(26)
    expect(body).toMatchObject({
      matched: 30,
      by_job_class: { class_10: 1, '(5 more)': 5 },
      by_queue: { '(unknown)': 30 },
    })
  })

  test('GET /health/queued_jobs refuses the protected queue and its classes', async () => {
    expectProblem(await app.get('/health/queued_jobs?queue_name=agents'), 422, 'Refused')
    expectProblem(await app.get('/health/queued_jobs?job_class=run_turn'), 422, 'Refused')
  })

  test('a refusal of the protected queue has the real count and classes of what waits there', async () => {
    await noJobs()
    await addJobs('run_turn@some-host', 3)
    await addJobs('announce_rest', 2)
    const counts = { matched: 3, by_job_class: { run_turn: 3 }, by_queue: { agents: 3 }, max_per_call: 2000 }
    for (const scope of [{ queue_name: 'agents' }, { job_class: 'run_turn' }] as Record<string, string>[]) {
      for (const act of [discard, reschedule])
        expect((await changesNothing(app.pool, () => act({ ...scope, expected_count: 3 }))).body).toMatchObject(counts)
      expect((await app.get(`/health/queued_jobs?${new URLSearchParams(scope)}`)).body).toMatchObject(counts)
    }
  })
})

describe('POST /health/discard_queued_jobs', () => {
  test('POST /health/discard_queued_jobs discards exactly what matched and keeps the rows with the reason', async () => {
    await noJobs()
    await addJobs('announce_rest', 3)
    await addJobs('look_at_clis', 2)
    const { status, body } = await discard({ job_class: 'announce_rest', expected_count: 3, reason: 'stampede' })
    expect(status).toBe(200)
    expect(body).toEqual({
      action: 'discard',
      scope: { job_class: 'announce_rest', queue_name: null },
      matched: 3,
      affected: 3,
      by_job_class: { announce_rest: 3 },
      by_queue: { default: 3 },
      skipped: [],
      actor: 'REST API',
      performed_at: expect.stringMatching(/Z$/),
      recoverable: false,
    })
    const rows = await jobs()
    expect(rows.filter(({ attempts, max_attempts }) => attempts === max_attempts)).toHaveLength(3)
    expect(rows[0]?.last_error).toBe('Discarded by REST API: stampede')
    expect((await app.get('/health/queued_jobs')).body.matched).toBe(2)
  })

  test.each([
    ['without a scope', { expected_count: 2 }, 'Name a job_class'],
    ['with a blank scope', { job_class: ' ', queue_name: '', expected_count: 2 }, 'Name a job_class'],
    ['of the agents queue', { queue_name: 'agents', expected_count: 0 }, 'The queue agents'],
    ['of a class of the agents queue', { job_class: 'run_turn', expected_count: 0 }, 'The class run_turn'],
    ['without a count', { queue_name: 'maintenance' }, 'expected_count is required'],
    ['with a negative count', { queue_name: 'maintenance', expected_count: -1 }, 'expected_count is required'],
    ['with a word as count', { queue_name: 'maintenance', expected_count: 'all' }, 'expected_count is required'],
    ['with a fraction as count', { queue_name: 'maintenance', expected_count: 3.5 }, 'expected_count is required'],
    [
      'with another count',
      { queue_name: 'maintenance', expected_count: 7 },
      'expected 7, 2 match queue_name=maintenance',
    ],
  ])(
    'POST /health/discard_queued_jobs %s is refused with the real count and changes nothing',
    async (_, body, sentence) => {
      await noJobs()
      await addJobs('look_at_clis', 1)
      await addJobs('tidy_clone', 1)
      for (const act of [discard, reschedule]) {
        const answer = await changesNothing(app.pool, () => act(body))
        expectProblem(answer, 422, 'Refused')
        expect(answer.body.message).toContain(sentence)
        expect(answer.body.max_per_call).toBe(2000)
        if ('queue_name' in body && body.queue_name === 'maintenance')
          expect(answer.body).toMatchObject({
            matched: 2,
            by_job_class: { look_at_clis: 1, tidy_clone: 1 },
            by_queue: { maintenance: 2 },
          })
      }
    },
  )

  test('POST /health/discard_queued_jobs accepts the count as digits and as a whole float', async () => {
    await noJobs()
    await addJobs('look_at_clis', 2)
    expect((await reschedule({ queue_name: 'maintenance', expected_count: '2' })).status).toBe(200)
    expect((await reschedule({ queue_name: 'maintenance', expected_count: '2.0' })).status).toBe(200)
    expect((await discard({ queue_name: 'maintenance', expected_count: 2 })).body.affected).toBe(2)
    expect((await discard({ queue_name: 'maintenance', expected_count: 0 })).body.affected).toBe(0)
  })

  test('POST /health/discard_queued_jobs refuses more than 2,000 jobs before it looks at the count', async () => {
    await noJobs()
    await addJobs('look_at_clis', 2001)
    const answer = await changesNothing(app.pool, () => discard({ job_class: 'look_at_clis', expected_count: 'x' }))
    expectProblem(answer, 422, 'Refused')
    expect(answer.body).toMatchObject({ matched: 2001, by_job_class: { look_at_clis: 2001 }, max_per_call: 2000 })
    expect(answer.body.message).toContain('at most 2000')
    expect((await app.get('/health/queued_jobs?job_class=look_at_clis')).body.over_cap).toBe(true)
    await app.pool.query(
      'delete from graphile_worker._private_jobs where id = (select min(id) from graphile_worker.jobs)',
    )
    expect((await discard({ job_class: 'look_at_clis', expected_count: 2000 })).body.affected).toBe(2000)
  })

  test('POST /health/discard_queued_jobs refuses a scope that is no text with 422', async () => {
    for (const body of [{ job_class: 7 }, { queue_name: ['a'] }, { queue_name: 'maintenance', reason: 5 }])
      expect((await discard(body)).status).toBe(422)
  })
})

describe('POST /health/reschedule_queued_jobs', () => {
  test('POST /health/reschedule_queued_jobs moves only the due time', async () => {
    await noJobs()
    await addJobs('look_at_clis', 2)
    const { body } = await reschedule({ queue_name: 'maintenance', expected_count: 2, delay_minutes: 45 })
    expect(body).toMatchObject({ action: 'reschedule', affected: 2, recoverable: true })
    const { rows } = await app.pool.query(
      'select attempts, last_error, round(extract(epoch from run_at - now()) / 60)::int as minutes from graphile_worker.jobs',
    )
    expect(rows).toEqual(Array(2).fill({ attempts: 0, last_error: null, minutes: 45 }))
    expect(Date.parse(body.scheduled_at) - Date.parse(body.performed_at)).toBe(45 * 60_000)
  })

  test.each([
    [-5, 0],
    [undefined, 0],
    ['', 0],
    ['90', 90],
    [99_999, 10_080],
  ])('POST /health/reschedule_queued_jobs clamps a delay of %s to %s minutes', async (delay, minutes) => {
    await noJobs()
    await addJobs('look_at_clis', 1)
    const { body } = await reschedule({ queue_name: 'maintenance', expected_count: 1, delay_minutes: delay })
    expect(Date.parse(body.scheduled_at) - Date.parse(body.performed_at)).toBe(minutes * 60_000)
  })

  test('POST /health/reschedule_queued_jobs dates everything by the clock of the database', async () => {
    await noJobs()
    await addJobs('look_at_clis', 1)
    const { clock } = app.host.app
    const original = clock.now
    onTestFinished(() => {
      clock.now = original
    })
    clock.now = () => new Date(original().getTime() + 5 * 3_600_000)
    const { body } = await reschedule({ queue_name: 'maintenance', expected_count: 1, delay_minutes: 7 })
    expect(Date.parse(body.scheduled_at) - Date.parse(body.performed_at)).toBe(7 * 60_000)
  })

  test('POST /health/reschedule_queued_jobs refuses a delay that is no number with 422 and changes nothing', async () => {
    const body = { queue_name: 'maintenance', expected_count: 1, delay_minutes: 'soon' }
    expectProblem(await changesNothing(app.pool, () => reschedule(body)), 422, 'Validation failed')
  })
})

describe('callers and workers at once', () => {
  test('of concurrent discards one takes every job, and the counts of all of them are true', async () => {
    await noJobs()
    await addJobs('look_at_clis', 40)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => discard({ queue_name: 'maintenance', expected_count: 40 })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { body } of answers.filter(({ status }) => status === 422)) expect(body.matched).toBeLessThan(40)
  })

  test('concurrent discards and reschedules never touch a claimed job, and a job is never both claimed and changed', async () => {
    await noJobs()
    await addJobs('look_at_clis', 300)
    const claiming = Array.from({ length: 20 }, (_, index) => claim(5, `worker-${index}`))
    const changing = Array.from({ length: 20 }, async (_, index) => {
      const { matched } = (await app.get('/health/queued_jobs?queue_name=maintenance')).body
      const act = index % 2 === 0 ? discard : reschedule
      return act({ queue_name: 'maintenance', expected_count: matched, delay_minutes: 10, reason: `round ${index}` })
    })
    const [answers] = await Promise.all([Promise.all(changing), Promise.all(claiming)])
    const rows = await jobs()
    const discarded = rows.filter(({ last_error }) => last_error !== null)
    const counted = answers
      .filter(({ status, body }) => status === 200 && body.action === 'discard')
      .reduce((sum, { body }) => sum + body.affected, 0)
    expect(discarded).toHaveLength(counted)
    expect(discarded.filter(({ locked_by }) => locked_by !== null)).toEqual([])
    expect(rows.filter(({ locked_by, attempts }) => locked_by !== null && attempts !== 1)).toEqual([])
  })
})
