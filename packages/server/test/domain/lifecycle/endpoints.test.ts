import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { busy, rested, reaches, queue, settled } = sessionHelpers(app)

const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })
const act = (id: number | string, verb: string, body?: unknown) => app.post(`/sessions/${id}/${verb}`, body)

async function insertMessage(id: number, content = 'say later'): Promise<void> {
  await app.pool.query('insert into enqueued_messages (session_id, content, position) values ($1, $2, 1)', [
    id,
    content,
  ])
}

describe('every lifecycle endpoint', () => {
  const verbs = ['archive', 'unarchive', 'pause', 'sleep', 'restart', 'refresh']

  test.each(verbs)('%s answers 404 for an unknown session', async (verb) => {
    expectProblem(await act(999_999, verb), 404, 'Not Found', 'The requested resource was not found')
    expectProblem(await act('no-such-slug', verb), 404, 'Not Found')
  })

  test('fork answers 404 for an unknown session', async () => {
    expectProblem(await act(999_999, 'fork', { message_index: 0 }), 404, 'Not Found')
  })

  test('every lifecycle endpoint accepts a slug, and an empty body with a JSON content type', async () => {
    await resting({ slug: 'by-its-slug' })
    const answer = await app.send('/api/v1/sessions/by-its-slug/sleep', {
      method: 'POST',
      headers: { 'x-api-key': 'test-key', 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ session: { status: 'waiting' } })
  })
})

describe('POST /sessions/:id/archive', () => {
  test('POST /sessions/:id/archive archives the session and answers with trash_after', async () => {
    const { status, body } = await act(await resting(), 'archive')
    expect(status).toBe(200)
    expect(body).toMatchObject({ session: { status: 'archived' }, message: 'Session moved to trash' })
    expect(body.trash_after).toBe(body.session.trash_after)
  })

  test('POST /sessions/:id/archive rejects an archived session with 422 and changes nothing', async () => {
    const id = await resting()
    await act(id, 'archive')
    const sentence = 'Session cannot be trashed from current status: archived'
    expectProblem(await changesNothing(app.pool, () => act(id, 'archive')), 422, 'Cannot trash', sentence)
  })

  test('POST /sessions/:id/archive rejects a session with queued messages with 422 unless force is set', async () => {
    const id = await resting({ status: 'failed' })
    await insertMessage(id)
    expectProblem(await changesNothing(app.pool, () => act(id, 'archive')), 422, 'Queued messages would be discarded')
    expect(await act(id, 'archive', { force: 'true' })).toMatchObject({ status: 200 })
  })

  test.each([[{ force: 'maybe' }], [{ force: {} }], [{ force: 2 }]])(
    'POST /sessions/:id/archive rejects %j with 422 and changes nothing',
    async (body) => {
      const id = await resting()
      const answer = await changesNothing(app.pool, () => act(id, 'archive', body))
      expectProblem(answer, 422, 'Validation failed', 'Force must be true or false')
    },
  )
})

describe('POST /sessions/:id/unarchive', () => {
  test('POST /sessions/:id/unarchive restores a session that never ran to needs_input, without a clone', async () => {
    const id = await resting()
    await act(id, 'archive')
    expect(await act(id, 'unarchive')).toMatchObject({
      status: 200,
      body: {
        session: { status: 'needs_input', archived_at: null, trash_after: null },
        clone_restored: false,
        message: 'Session restored from trash',
      },
    })
  })

  test('POST /sessions/:id/unarchive rejects a session that is not archived with 422', async () => {
    expectProblem(await act(await resting(), 'unarchive'), 422, 'Cannot restore', 'Session is not in trash')
  })

  test('POST /sessions/:id/unarchive answers 422 and leaves the session archived if its clone cannot be recreated', async () => {
    const id = await resting({ session_id: 'gone', git_root: '/no/such/repository' })
    await act(id, 'archive')
    expectProblem(await act(id, 'unarchive'), 422, 'Failed to restore')
    expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('archived')
  })
})

describe('POST /sessions/bulk_archive', () => {
  const bulk = (body: unknown) => app.post('/sessions/bulk_archive', body)

  test('POST /sessions/bulk_archive archives each session, skips archived ones, and names unknown ones and those with queued messages in errors', async () => {
    const [one, two, full, away] = [
      await resting(),
      await resting(),
      await resting({ status: 'failed' }),
      await resting(),
    ]
    await insertMessage(full)
    await act(away, 'archive')
    const { status, body } = await bulk({ session_ids: [one, String(two), full, away, 999_999, one] })
    expect([status, body.archived_count]).toEqual([200, 2])
    expect(body.errors).toEqual([
      { id: full, message: expect.stringContaining('whole batch') },
      { id: 999_999, message: 'There is no session 999999' },
    ])
    expect(await bulk({ session_ids: [full], force: true })).toMatchObject({ body: { archived_count: 1, errors: [] } })
  })

  test.each([[{}], [{ session_ids: [] }], [{ session_ids: 'x' }], [{ session_ids: null }]])(
    'POST /sessions/bulk_archive rejects %j with 422 and changes nothing',
    async (body) => {
      const answer = await changesNothing(app.pool, () => bulk(body))
      expectProblem(answer, 422, 'Missing parameter', 'session_ids array is required')
    },
  )

  test('POST /sessions/bulk_archive accepts 100 ids, and rejects more ids and values that are not ids with 422', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => 1_000_000 + index)
    expect(await bulk({ session_ids: ids.slice(1) })).toMatchObject({ status: 200, body: { archived_count: 0 } })
    expectProblem(await bulk({ session_ids: ids }), 422, 'Validation failed')
    expectProblem(await bulk({ session_ids: [1.5] }), 422, 'Validation failed', 'Session ids must be integers')
    expectProblem(await bulk({ session_ids: [{}] }), 422, 'Validation failed', 'Session ids must be integers')
  })
})

describe('POST /sessions/:id/pause, sleep and restart', () => {
  test('pause stops the running turn and rejects a session that is not running with 422', async () => {
    const { id } = await busy()
    expect(await act(id, 'pause')).toMatchObject({
      status: 200,
      body: { session: { status: 'needs_input', running_job_id: null, metadata: { paused_by: 'user' } } },
    })
    await settled(id)
    expectProblem(await act(id, 'pause'), 422, 'Cannot pause', 'Session is not running')
  })

  test('sleep rejects a sleeping session with 422 and changes nothing', async () => {
    const id = await resting()
    expect((await act(id, 'sleep')).body.session).toMatchObject({
      status: 'waiting',
      metadata: { deliberate_sleep_at: expect.any(String) },
    })
    const sentence = 'Session must be in needs_input or running state to sleep (current: waiting)'
    expectProblem(await changesNothing(app.pool, () => act(id, 'sleep')), 422, 'Cannot sleep', sentence)
  })

  test('restart starts a turn and rejects an archived session and one without session_id with 422', async () => {
    const id = await rested()
    expect(await act(id, 'restart')).toMatchObject({ status: 200, body: { message: 'Session restarted' } })
    await reaches(id, 'needs_input')
    await act(id, 'archive')
    expectProblem(await act(id, 'restart'), 422, 'Cannot restart')
    const lost = await resting()
    await insertTranscript(app.pool, lost, ['{"type":"user"}'])
    const answer = await changesNothing(app.pool, () => act(lost, 'restart'))
    expectProblem(answer, 422, 'Cannot restart', 'Session has no session_id')
  })
})

describe('POST /sessions/:id/fork', () => {
  test('POST /sessions/:id/fork answers 201 with the new session', async () => {
    const id = await rested()
    expect(await act(id, 'fork', { message_index: '0' })).toMatchObject({
      status: 201,
      body: { session: { status: 'needs_input' }, message: 'Session forked successfully' },
    })
    expectProblem(await act(id, 'fork', { message_index: 99 }), 422, 'Fork failed')
  })

  test.each([[{}], [{ message_index: '' }], [{ message_index: null }]])(
    'POST /sessions/:id/fork rejects %j with 422 and changes nothing',
    async (body) => {
      const id = await resting()
      const answer = await changesNothing(app.pool, () => act(id, 'fork', body))
      expectProblem(answer, 422, 'Missing parameter', 'message_index is required')
    },
  )

  test.each([['abc'], [-1], [1.5], [{}], [true], [1e300]])(
    'POST /sessions/:id/fork rejects the message_index %j with 422',
    async (message_index) => {
      const answer = await act(await resting(), 'fork', { message_index })
      expectProblem(answer, 422, 'Validation failed', 'Message index must be an integer of at least 0')
    },
  )
})

describe('POST /sessions/:id/refresh', () => {
  test('POST /sessions/:id/refresh answers with the number of messages', async () => {
    const id = await rested()
    const { status, body } = await act(id, 'refresh')
    expect([status, body.message]).toEqual([200, expect.stringMatching(/^Transcript refreshed \(\d+ messages\)$/)])
  })

  test('POST /sessions/:id/refresh rejects a session without a clone with 422', async () => {
    expectProblem(await act(await resting(), 'refresh'), 422, 'No clone path', 'Session has no clone path')
  })

  test('POST /sessions/:id/refresh answers 404 if the agent has no transcript files', async () => {
    const id = await resting({ session_id: 'nothing-on-disk', metadata: { working_directory: '/nowhere' } })
    expectProblem(await act(id, 'refresh'), 404, 'Not found', 'No transcript files found on filesystem')
  })
})

describe('POST /sessions/refresh_all', () => {
  test('POST /sessions/refresh_all restarts failed sessions, continues resting ones, and skips paused sessions and frozen categories', async () => {
    const frozenCategory = (await app.post('/categories', { name: 'Parked', is_frozen: true })).body.category.id
    const [failed, idle] = [await rested(), await rested()]
    await app.pool.query("update sessions set status = 'failed' where id = $1", [failed])
    await app.pool.query(
      `update sessions set metadata = metadata || '{"paused_by": "user"}' where status = 'needs_input' and id <> $1`,
      [idle],
    )
    const frozen = await resting({ category_id: frozenCategory })
    const { rows } = await app.pool.query("select count(*)::int from sessions where status = 'failed'")
    const answer = await app.post('/sessions/refresh_all')
    expect(answer).toMatchObject({
      status: 200,
      body: { message: 'Refresh complete', restarted: rows[0].count, continued: 1 },
    })
    for (const id of [failed, idle]) await reaches(id, 'needs_input')
    expect((await app.get(`/sessions/${frozen}`)).body.session.status).toBe('needs_input')
  })

  test('POST /sessions/refresh_all continues only the sessions of the named category, or only favourites', async () => {
    const category = (await app.post('/categories', { name: 'Of this week' })).body.category.id
    const [inside, favourite, both] = [await rested(), await rested(), await rested()]
    await app.pool.query('update sessions set category_id = $1 where id = any($2)', [category, [inside, both]])
    await app.pool.query('update sessions set favorited = true where id = any($1)', [[favourite, both]])
    const turnsOf = async (id: number) => (await app.get(`/sessions/${id}/turns`)).body.turns.length
    const refresh = async (body: object) => (await app.post('/sessions/refresh_all', body)).body
    expect(await refresh({ category_id: category, favorited: true })).toMatchObject({ continued: 1 })
    await reaches(both, 'needs_input')
    expect([await turnsOf(inside), await turnsOf(favourite), await turnsOf(both)]).toEqual([1, 1, 2])
    expect(await refresh({ category_id: category })).toMatchObject({ continued: 2 })
    for (const id of [inside, both]) await reaches(id, 'needs_input')
    expect([await turnsOf(inside), await turnsOf(favourite), await turnsOf(both)]).toEqual([2, 1, 3])
    expect(await refresh({ favorited: true })).toMatchObject({ continued: 2 })
    for (const id of [favourite, both]) await reaches(id, 'needs_input')
    expect([await turnsOf(inside), await turnsOf(favourite)]).toEqual([2, 2])
    await app.pool.query("update sessions set category_id = $1 where id <> $2 and status <> 'archived'", [
      category,
      favourite,
    ])
    await app.pool.query('update sessions set category_id = null where id = $1', [favourite])
    expect(await refresh({ category_id: 'uncategorized' })).toMatchObject({ continued: 1, restarted: 0 })
    await reaches(favourite, 'needs_input')
  })

  test('POST /sessions/refresh_all does nothing for an unknown category, and rejects one that is no id with 422', async () => {
    const { body } = await app.post('/sessions/refresh_all', { category_id: 999_999 })
    expect(body.message).toBe('No non-archived sessions to refresh')
    expect((await app.post('/sessions/refresh_all', { category_id: 'mine' })).status).toBe(422)
  })
})

test('a queued message stays pending after a pause', async () => {
  const { id } = await busy()
  await queue(id, 'say kept')
  await act(id, 'pause')
  await settled(id)
  const { rows } = await app.pool.query('select status from enqueued_messages where session_id = $1', [id])
  expect(rows).toEqual([{ status: 'pending' }])
})
