import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp, testKey } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { emptyTables } from '../../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'events')
})

const request = { git_root: '/srv/repositories/widgets', agent_runtime: 'demo', prompt: 'say hello' }
const create = (body: Record<string, unknown>) => app.post('/sessions', { ...request, ...body })

describe('POST /sessions with a used idempotency key answers 200', () => {
  test('POST /sessions with a used idempotency key answers 200 with the session of the first create, marked as a replay, and queues nothing', async () => {
    const first = await create({ idempotency_key: 'one' })
    expect([first.status, first.body.session.idempotency_key]).toEqual([201, 'one'])
    expect(first.body).not.toHaveProperty('idempotent_replay')
    const again = await changesNothing(app.pool, () => create({ idempotency_key: 'one' }))
    expect([again.status, again.body]).toEqual([200, { session: first.body.session, idempotent_replay: true }])
  })

  test('POST /sessions with a used idempotency key answers 200 without warnings, even if the first create had warnings', async () => {
    const body = { git_root: request.git_root, idempotency_key: 'one' }
    expect((await app.post('/sessions', body)).body).toHaveProperty('warnings')
    expect(Object.keys((await app.post('/sessions', body)).body)).toEqual(['session', 'idempotent_replay'])
  })

  test('POST /sessions with a used idempotency key answers 200 and ignores all other arguments', async () => {
    const first = await create({ idempotency_key: 'one', title: 'First', slug: 'first' })
    const again = await changesNothing(app.pool, () =>
      create({
        idempotency_key: 'one',
        title: 'Second',
        slug: 'second',
        prompt: 'say something else',
        git_root: '/srv/elsewhere',
        custom_metadata: { other: true },
      }),
    )
    expect([again.status, again.body.session]).toEqual([200, first.body.session])
  })

  const invalid: [string, Record<string, unknown>][] = [
    ['no git_root', { git_root: null }],
    ['a title that is too long', { title: 'x'.repeat(101) }],
    ['an unknown runtime', { agent_runtime: 'runtime_gamma' }],
    ['an unknown model', { config: { model: 'alpha-large' } }],
    ['an unknown agent_root', { agent_root: 'widgets' }],
    ['wrong types everywhere', { prompt: 1, git_root: [], custom_metadata: 'x', slug: {}, config: 7 }],
  ]
  test.each(invalid)(
    'POST /sessions with a used idempotency key answers 200 also with %s, which would be rejected in a first create',
    async (_what, body) => {
      const first = await create({ idempotency_key: 'one' })
      const again = await changesNothing(app.pool, () => create({ ...body, idempotency_key: 'one' }))
      expect([again.status, again.body]).toEqual([200, { session: first.body.session, idempotent_replay: true }])
    },
  )

  test('POST /sessions with a used idempotency key answers 200 with the current state of the session', async () => {
    await create({ idempotency_key: 'one' })
    await app.pool.query(`update sessions set status = 'failed', running_job_id = null, favorited = true`)
    const { body } = await create({ idempotency_key: 'one' })
    expect(body.session).toMatchObject({ status: 'failed', running_job_id: null, favorited: true })
  })

  test('POST /sessions with a used idempotency key answers 200 with job_id null if the first create had no prompt, and starts nothing', async () => {
    await create({ idempotency_key: 'one', prompt: undefined })
    const again = await changesNothing(app.pool, () => create({ idempotency_key: 'one' }))
    expect([again.status, again.body.session.job_id, again.body.session.prompt]).toEqual([200, null, null])
  })

  test('POST /sessions with a used idempotency key answers 200 also if the session is archived', async () => {
    await create({ idempotency_key: 'one' })
    await app.pool.query(`update sessions set status = 'archived', archived_at = now()`)
    const { status, body } = await create({ idempotency_key: 'one' })
    expect([status, body.session.status]).toEqual([200, 'archived'])
  })
})

describe('an idempotency key', () => {
  test.each([[''], [null], [undefined]])(
    'an idempotency key of %j counts as absent: every create makes a session',
    async (idempotency_key) => {
      const first = await create({ idempotency_key })
      const second = await create({ idempotency_key })
      expect([first.status, second.status]).toEqual([201, 201])
      expect(second.body.session.id).not.toBe(first.body.session.id)
      expect(second.body.session.idempotency_key).toBeNull()
    },
  )

  test.each(['One', ' one', 'one ', 'one\u0301', ' '])(
    'an idempotency key of %j is different from "one"',
    async (idempotency_key) => {
      await create({ idempotency_key: 'one' })
      const { status, body } = await create({ idempotency_key })
      expect([status, body.session.idempotency_key]).toEqual([201, idempotency_key])
      expect((await create({ idempotency_key })).status).toBe(200)
    },
  )

  test('an idempotency key may have 255 characters', async () => {
    const idempotency_key = '🔑'.repeat(255)
    expect((await create({ idempotency_key })).status).toBe(201)
    expect((await create({ idempotency_key })).status).toBe(200)
  })

  test.each([
    ['of 256 characters', '🔑'.repeat(256), 'Idempotency key is too long (maximum is 255 characters)'],
    ['that is a number', 5, 'Idempotency key must be a string'],
    ['that is an object', { a: 1 }, 'Idempotency key must be a string'],
  ])(
    'an idempotency key that is %s is rejected with 422 and nothing changes',
    async (_what, idempotency_key, message) => {
      const answer = await changesNothing(app.pool, () => create({ idempotency_key }))
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test('an idempotency key is not used up by a rejected create', async () => {
    expect((await create({ idempotency_key: 'one', git_root: '' })).status).toBe(422)
    expect((await create({ idempotency_key: 'one' })).status).toBe(201)
  })

  test('an idempotency key can be used again after its session was deleted', async () => {
    const first = await create({ idempotency_key: 'one' })
    await app.delete(`/sessions/${first.body.session.id}`)
    const second = await create({ idempotency_key: 'one' })
    expect(second.status).toBe(201)
    expect(second.body.session.id).not.toBe(first.body.session.id)
  })

  test('an idempotency key in a body that cannot be parsed replays nothing', async () => {
    await create({ idempotency_key: 'one' })
    const response = await app.send('/api/v1/sessions', {
      method: 'POST',
      headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
      body: '{"idempotency_key": "one", ',
    })
    expect(response.status).toBe(422)
  })
})
