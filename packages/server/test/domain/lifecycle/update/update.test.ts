import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'
import { armWake } from '../../../support/triggers/arm-wake.ts'

/** Without a worker, whose admission would dispatch the turns that a test queues. */
const app = testApp({ environment: { ROLE: 'web' } })
const change = (id: number, body: unknown) => app.patch(`/sessions/${id}`, body)
const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })

describe('PATCH /sessions/:id', () => {
  test('PATCH /sessions/:id changes only the keys in the request', async () => {
    const id = await resting({
      title: 'Before',
      slug: 'before-it',
      goal: 'g',
      custom_metadata: { a: 1 },
      precedence: 3,
    })
    const { status, body } = await change(id, {
      title: 'After',
      is_autonomous: false,
      custom_metadata: { b: { __proto__: null, deep: [1] } },
      status: 'archived',
      git_root: '/elsewhere',
      metadata: { mine: true },
    })
    expect([status, Object.keys(body)]).toEqual([200, ['session']])
    expect(body.session).toMatchObject({
      title: 'After',
      slug: 'before-it',
      goal: 'g',
      is_autonomous: false,
      precedence: 3,
      custom_metadata: { b: { deep: [1] } },
      status: 'needs_input',
      git_root: '/srv/repositories/widgets',
      metadata: {},
    })
    expect(body.session.custom_metadata).not.toHaveProperty('a')
  })

  test('PATCH /sessions/:id changes nothing for an empty body', async () => {
    const id = await resting()
    expect((await changesNothing(app.pool, () => change(id, {}))).status).toBe(200)
    expect((await changesNothing(app.pool, () => change(id, { unknown: 1 }))).status).toBe(200)
  })

  test('PATCH /sessions/:id clears the goal with an empty string', async () => {
    expect((await change(await resting({ goal: 'old' }), { goal: '' })).body.session.goal).toBeNull()
  })

  test('PATCH /sessions/:id changes the compaction window; null sets the largest', async () => {
    const id = await resting()
    expect((await change(id, { auto_compact_window: 200_000 })).body.session.auto_compact_window).toBe(200_000)
    expect((await change(id, { title: 'Other' })).body.session.auto_compact_window).toBe(200_000)
    expect((await change(id, { auto_compact_window: null })).body.session.auto_compact_window).toBe(1_000_000)
  })

  test('PATCH /sessions/:id generates a slug for a new title if the session has none, and keeps an existing slug', async () => {
    const id = await resting({ metadata: { auto_generated_title: true } })
    const { session } = (await change(id, { title: 'Tidy the loop' })).body
    expect(session.slug).toMatch(/^tidy-the-loop-\d{8}-\d{4}/)
    expect(session.metadata).toEqual({})
    expect((await change(id, { title: 'Another' })).body.session.slug).toBe(session.slug)
    expect((await change(id, { slug: null })).body.session.slug).toBeNull()
  })

  test('PATCH /sessions/:id accepts an archived session', async () => {
    const id = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
    expect((await change(id, { title: 'Away' })).body.session).toMatchObject({ title: 'Away', status: 'archived' })
  })

  test.each([
    [{ slug: '' }, 'Slug only allows lowercase letters, numbers, and hyphens'],
    [{ slug: '1234' }, "Slug can't be all digits"],
    [{ slug: 'Über' }, 'Slug only allows lowercase letters, numbers, and hyphens'],
    [{ slug: 'search' }, 'Slug is reserved'],
    [{ title: 'x'.repeat(101) }, 'Title is too long (maximum 100 characters)'],
    [{ goal: 'x'.repeat(50_001) }, 'Goal is too long (maximum 50,000 characters)'],
    [{ is_autonomous: null }, 'Is autonomous must be true or false'],
    [{ is_autonomous: 'yes' }, 'Is autonomous must be true or false'],
    [{ scheduling_class: 'vip' }, 'Scheduling class vip is not a known scheduling class'],
    [{ precedence: 1_000_000_001 }, 'Precedence must be less than or equal to 1000000000'],
    [{ precedence: 1.5 }, 'Precedence must be an integer'],
    [{ precedence: 'high' }, 'Precedence is not a number'],
    [{ auto_compact_window: 0 }, 'Auto compact window must be greater than or equal to 1'],
    [{ custom_metadata: [] }, 'Custom metadata must be an object'],
  ])('PATCH /sessions/:id rejects %j with 422 and changes nothing', async (body, message) => {
    const id = await resting()
    expectProblem(await changesNothing(app.pool, () => change(id, body)), 422, 'Validation failed', message)
  })

  test('PATCH /sessions/:id rejects a taken slug with 422', async () => {
    await resting({ slug: 'taken-one' })
    const id = await resting()
    const answer = await changesNothing(app.pool, () => change(id, { slug: 'taken-one', title: 'x' }))
    expectProblem(answer, 422, 'Validation failed', 'Slug has already been taken')
  })

  test('PATCH /sessions/:id answers 404 for an unknown session', async () => {
    expectProblem(await change(999_999, { title: 'x' }), 404, 'Not Found')
  })
})

describe('PATCH /sessions/:id, precedence and place', () => {
  test('PATCH /sessions/:id accepts a precedence as a number or a string of digits; null sets 0', async () => {
    const id = await resting()
    expect((await change(id, { precedence: '-7' })).body.session.precedence).toBe(-7)
    expect((await change(id, { precedence: null })).body.session.precedence).toBe(0)
  })

  test('place ranks the session above every other spot session and never lowers its rank', async () => {
    await resting({ precedence: 500 })
    const id = await resting()
    expect((await change(id, { place: 'top_of_spot' })).body.session.precedence).toBe(505)
    expect((await change(id, { place: 'top_of_spot' })).body.session.precedence).toBe(505)
    await app.pool.query('update sessions set precedence = 900 where id = $1', [id])
    expect((await change(id, { place: 'top_of_spot' })).body.session.precedence).toBe(900)
  })

  test('concurrent placements each get their own rank', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => resting()))
    const answers = await Promise.all(ids.map((id) => change(id, { place: 'top_of_spot' })))
    expect(new Set(answers.map(({ body }) => body.session.precedence)).size).toBe(6)
  })

  test('PATCH /sessions/:id rejects place together with precedence, and an unknown place, with 422', async () => {
    const id = await resting()
    for (const body of [{ place: 'top_of_spot', precedence: 1 }, { place: 'bottom' }]) {
      expectProblem(await changesNothing(app.pool, () => change(id, body)), 422, 'Invalid placement')
    }
  })
})

describe('PATCH /sessions/:id, promotion to priority', () => {
  /** A session whose turn the spot gate holds. */
  const held = (columns: Record<string, unknown> = {}) =>
    insertSession(app.pool, { metadata: { spot_hold_at: 'x', spot_hold_reason: 'fleet_at_cap' }, ...columns })

  test('promoting a session by PATCH /sessions/:id starts a held turn', async () => {
    const id = await held()
    await app.pool.query(
      "insert into turns (session_id, sequence, source, prompt) values ($1, 1, 'create', 'say hello')",
      [id],
    )
    const { body } = await change(id, { scheduling_class: 'priority' })
    expect(body).toMatchObject({
      session: { scheduling_class: 'priority', priority_class: 'priority', metadata: {} },
      start: { outcome: 'started', message: expect.stringContaining(`Session ${id}'s next turn is due now`) },
    })
  })

  test('queues the first turn of a session that never ran', async () => {
    const id = await insertSession(app.pool, { prompt: 'say hello' })
    const { body } = await change(id, { scheduling_class: 'priority' })
    expect(body.start).toEqual({ outcome: 'started', message: `Session ${id}'s first turn was queued.` })
    expect(body.session.job_id).not.toBeNull()
  })

  test('promoting a session by PATCH /sessions/:id answers start refused while a wake is armed', async () => {
    const id = await insertSession(app.pool, { prompt: 'say hello' })
    await armWake(app, id, { scheduled_at: '2031-01-01T00:00:00' })
    const { body } = await change(id, { scheduling_class: 'priority' })
    expect(body.start).toEqual({
      outcome: 'refused',
      message: `Session ${id} sleeps until 2031-01-01T00:00:00Z, and a pause outranks the queue.`,
    })
  })

  test('promoting a session by PATCH /sessions/:id answers without start if there is nothing to start', async () => {
    const asleep = await insertSession(app.pool)
    expect((await change(asleep, { scheduling_class: 'priority' })).body).not.toHaveProperty('start')
    const idle = await resting()
    expect((await change(idle, { scheduling_class: 'priority' })).body).not.toHaveProperty('start')
    const already = await insertSession(app.pool, { prompt: 'x', scheduling_class: 'priority' })
    expect((await change(already, { scheduling_class: 'priority' })).body).not.toHaveProperty('start')
    expect((await change(already, { scheduling_class: null })).body.session).toMatchObject({
      scheduling_class: null,
      priority_class: 'spot',
    })
  })
})

describe('PATCH /sessions/:id/model', () => {
  const setModel = (id: number, body: unknown) => app.patch(`/sessions/${id}/model`, body)

  test('PATCH /sessions/:id/model sets a model of its runtime and keeps the rest of config', async () => {
    const id = await resting({ config: { model: 'old', other: 1 } })
    expect(await setModel(id, { model: 'demo' })).toMatchObject({
      status: 200,
      body: { session: { config: { model: 'demo', other: 1 } }, message: 'Model updated' },
    })
  })

  test.each([
    [{}, 'Missing parameter', 'model is required'],
    [{ model: '' }, 'Invalid parameter', 'model must be a non-empty string'],
    [{ model: 5 }, 'Invalid parameter', 'model must be a non-empty string'],
    [{ model: 'x' }, 'Invalid model', 'model "x" is not valid for runtime demo. Valid models: demo'],
  ])('PATCH /sessions/:id/model rejects %j with 422 and changes nothing', async (body, error, message) => {
    const id = await resting()
    expectProblem(await changesNothing(app.pool, () => setModel(id, body)), 422, error, message)
  })
})
