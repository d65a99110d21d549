import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { busy, rested, reaches, queue, settled } = conversing(app)

const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })
const put = (id: number | string, verb: string, body?: unknown) => app.post(`/sessions/${id}/${verb}`, body)

async function queued(id: number, content = 'say later'): Promise<void> {
  await app.pool.query('insert into enqueued_messages (session_id, content, position) values ($1, $2, 1)', [
    id,
    content,
  ])
}

describe('every one of them', () => {
  const verbs = ['archive', 'unarchive', 'pause', 'sleep', 'restart', 'refresh']

  test.each(verbs)('%s answers 404 for a session that is not there', async (verb) => {
    expectProblem(await put(999_999, verb), 404, 'Not Found', 'The requested resource was not found')
    expectProblem(await put('no-such-slug', verb), 404, 'Not Found')
  })

  test('fork answers 404 for a session that is not there', async () => {
    expectProblem(await put(999_999, 'fork', { message_index: 0 }), 404, 'Not Found')
  })

  test('takes a slug as well as an id, and an empty body with a JSON content type', async () => {
    await resting({ slug: 'by-its-slug' })
    const answer = await app.send('/api/v1/sessions/by-its-slug/sleep', {
      method: 'POST',
      headers: { 'x-api-key': 'test-key', 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ session: { status: 'waiting' } })
  })
})

describe('archive', () => {
  test('moves a session to the trash and says until when it can be had back', async () => {
    const { status, body } = await put(await resting(), 'archive')
    expect(status).toBe(200)
    expect(body).toMatchObject({ session: { status: 'archived' }, message: 'Session moved to trash' })
    expect(body.trash_after).toBe(body.session.trash_after)
  })

  test('is refused for one that is archived', async () => {
    const id = await resting()
    await put(id, 'archive')
    const sentence = 'Session cannot be trashed from current status: archived'
    expectProblem(await changesNothing(app.pool, () => put(id, 'archive')), 422, 'Cannot trash', sentence)
  })

  test('is refused while messages are queued, and not with force', async () => {
    const id = await resting({ status: 'failed' })
    await queued(id)
    expectProblem(await changesNothing(app.pool, () => put(id, 'archive')), 422, 'Queued messages would be discarded')
    expect(await put(id, 'archive', { force: 'true' })).toMatchObject({ status: 200 })
  })

  test.each([[{ force: 'maybe' }], [{ force: {} }], [{ force: 2 }]])('refuses %j and changes nothing', async (body) => {
    const id = await resting()
    const answer = await changesNothing(app.pool, () => put(id, 'archive', body))
    expectProblem(answer, 422, 'Validation failed', 'Force must be true or false')
  })
})

describe('unarchive', () => {
  test('brings a session that never ran back to rest, without a clone', async () => {
    const id = await resting()
    await put(id, 'archive')
    expect(await put(id, 'unarchive')).toMatchObject({
      status: 200,
      body: {
        session: { status: 'needs_input', archived_at: null, trash_after: null },
        clone_restored: false,
        message: 'Session restored from trash',
      },
    })
  })

  test('is refused for one that is not archived', async () => {
    expectProblem(await put(await resting(), 'unarchive'), 422, 'Cannot restore', 'Session is not in trash')
  })

  test('is refused with the reason when its clone cannot be made again', async () => {
    const id = await resting({ session_id: 'gone', git_root: '/no/such/repository' })
    await put(id, 'archive')
    expectProblem(await put(id, 'unarchive'), 422, 'Failed to restore')
    expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('archived')
  })
})

describe('bulk_archive', () => {
  const bulk = (body: unknown) => app.post('/sessions/bulk_archive', body)

  test('archives each, passes over those that are gone or archived, and names those with queued messages', async () => {
    const [one, two, full, away] = [
      await resting(),
      await resting(),
      await resting({ status: 'failed' }),
      await resting(),
    ]
    await queued(full)
    await put(away, 'archive')
    const { status, body } = await bulk({ session_ids: [one, String(two), full, away, 999_999, one] })
    expect([status, body.archived_count]).toEqual([200, 2])
    expect(body.errors).toEqual([{ id: full, message: expect.stringContaining('whole batch') }])
    expect(await bulk({ session_ids: [full], force: true })).toMatchObject({ body: { archived_count: 1, errors: [] } })
  })

  test.each([[{}], [{ session_ids: [] }], [{ session_ids: 'x' }], [{ session_ids: null }]])(
    'refuses %j and changes nothing',
    async (body) => {
      const answer = await changesNothing(app.pool, () => bulk(body))
      expectProblem(answer, 422, 'Missing parameter', 'session_ids array is required')
    },
  )

  test('takes 100 ids and not one more, and only ids', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => 1_000_000 + index)
    expect(await bulk({ session_ids: ids.slice(1) })).toMatchObject({ status: 200, body: { archived_count: 0 } })
    expectProblem(await bulk({ session_ids: ids }), 422, 'Validation failed')
    expectProblem(await bulk({ session_ids: [1.5] }), 422, 'Validation failed', 'Session ids must be integers')
    expectProblem(await bulk({ session_ids: [{}] }), 422, 'Validation failed', 'Session ids must be integers')
  })
})

describe('pause, sleep and restart', () => {
  test('pause ends a running turn; only a running session can be paused', async () => {
    const { id } = await busy()
    expect(await put(id, 'pause')).toMatchObject({
      status: 200,
      body: { session: { status: 'needs_input', running_job_id: null, metadata: { paused_by: 'user' } } },
    })
    await settled(id)
    expectProblem(await put(id, 'pause'), 422, 'Cannot pause', 'Session is not running')
  })

  test('sleep is refused for one that sleeps', async () => {
    const id = await resting()
    expect((await put(id, 'sleep')).body.session).toMatchObject({
      status: 'waiting',
      metadata: { deliberate_sleep_at: expect.any(String) },
    })
    const sentence = 'Session must be in needs_input or running state to sleep (current: waiting)'
    expectProblem(await changesNothing(app.pool, () => put(id, 'sleep')), 422, 'Cannot sleep', sentence)
  })

  test('restart gets a session going, and is refused for an archived one or one that lost its id', async () => {
    const id = await rested()
    expect(await put(id, 'restart')).toMatchObject({ status: 200, body: { message: 'Session restarted' } })
    await reaches(id, 'needs_input')
    await put(id, 'archive')
    expectProblem(await put(id, 'restart'), 422, 'Cannot restart')
    const lost = await resting()
    await insertTranscript(app.pool, lost, ['{"type":"user"}'])
    const answer = await changesNothing(app.pool, () => put(lost, 'restart'))
    expectProblem(answer, 422, 'Cannot restart', 'Session has no session_id')
  })
})

describe('fork', () => {
  test('answers 201 with the new session', async () => {
    const id = await rested()
    expect(await put(id, 'fork', { message_index: '0' })).toMatchObject({
      status: 201,
      body: { session: { status: 'needs_input' }, message: 'Session forked successfully' },
    })
    expectProblem(await put(id, 'fork', { message_index: 99 }), 422, 'Fork failed')
  })

  test.each([[{}], [{ message_index: '' }], [{ message_index: null }]])('refuses %j', async (body) => {
    const id = await resting()
    const answer = await changesNothing(app.pool, () => put(id, 'fork', body))
    expectProblem(answer, 422, 'Missing parameter', 'message_index is required')
  })

  test.each([['abc'], [-1], [1.5], [{}], [true], [1e300]])('refuses a message_index of %j', async (message_index) => {
    const answer = await put(await resting(), 'fork', { message_index })
    expectProblem(answer, 422, 'Validation failed', 'Message index must be an integer of at least 0')
  })
})

describe('refresh', () => {
  test('says how many messages there are', async () => {
    const id = await rested()
    const { status, body } = await put(id, 'refresh')
    expect([status, body.message]).toEqual([200, expect.stringMatching(/^Transcript refreshed \(\d+ messages\)$/)])
  })

  test('is refused for a session that has no clone', async () => {
    expectProblem(await put(await resting(), 'refresh'), 422, 'No clone path', 'Session has no clone path')
  })

  test('answers 404 when the agent has no files', async () => {
    const id = await resting({ session_id: 'nothing-on-disk', metadata: { working_directory: '/nowhere' } })
    expectProblem(await put(id, 'refresh'), 404, 'Not found', 'No transcript files found on filesystem')
  })
})

describe('refresh_all', () => {
  test('tells failed and resting sessions to go on, and leaves the paused, the frozen and the archived alone', async () => {
    const parked = (await app.post('/categories', { name: 'Parked', is_frozen: true })).body.category.id
    const [failed, idle] = [await rested(), await rested()]
    await app.pool.query("update sessions set status = 'failed' where id = $1", [failed])
    await app.pool.query(
      `update sessions set metadata = metadata || '{"paused_by": "user"}' where status = 'needs_input' and id <> $1`,
      [idle],
    )
    const frozen = await resting({ category_id: parked })
    const { rows } = await app.pool.query("select count(*)::int from sessions where status = 'failed'")
    const answer = await app.post('/sessions/refresh_all')
    expect(answer).toMatchObject({
      status: 200,
      body: { message: 'Refresh complete', restarted: rows[0].count, continued: 1 },
    })
    for (const id of [failed, idle]) await reaches(id, 'needs_input')
    expect((await app.get(`/sessions/${frozen}`)).body.session.status).toBe('needs_input')
  })
})

test('a queued message survives a pause, and goes out when the session is spoken to', async () => {
  const { id } = await busy()
  await queue(id, 'say kept')
  await put(id, 'pause')
  await settled(id)
  const { rows } = await app.pool.query('select status from enqueued_messages where session_id = $1', [id])
  expect(rows).toEqual([{ status: 'pending' }])
})
