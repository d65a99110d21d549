import { describe, expect, test } from 'vitest'
import { armWake } from '../../../src/domain/inbox/inbox.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp()

/** A session with a running turn on another host, so that this host does not end it. */
async function insertRunning(columns: Record<string, unknown> = {}): Promise<number> {
  const id = await insertSession(app.pool, { status: 'running', host_id: 'elsewhere', ...columns })
  await app.pool.query(
    `insert into turns (session_id, sequence, source, prompt, state, lease_owner, lease_expires_at, run_marker, pid, started_at)
     values ($1, 1, 'create', 'say hello', 'executing', 'elsewhere', now() + interval '1 hour', gen_random_uuid(), 1, now())`,
    [id],
  )
  return id
}

const followUp = (id: number | string, body: unknown) => app.post(`/sessions/${id}/follow_up`, body)
const path = (id: number, rest = '') => `/sessions/${id}/enqueued_messages${rest}`

async function enqueue(id: number, ...contents: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const content of contents) ids.push((await app.post(path(id), { content })).body.enqueued_message.id)
  return ids
}

const contentsOf = async (id: number): Promise<string[]> =>
  (await app.get(path(id, '?status=pending'))).body.enqueued_messages.map(({ content }: { content: string }) => content)

describe('POST /sessions/:id/follow_up', () => {
  test('answers 200 and makes the prompt the next turn of a resting session', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const { status, body } = await followUp(id, { prompt: '  say more \n', goal: ' be brief ' })
    expect(status).toBe(200)
    expect(body).toEqual({ session: expect.any(Object), message: 'Follow-up prompt sent' })
    expect(body.session).toMatchObject({ status: 'waiting', prompt: 'say more', goal: 'be brief' })
    expect(body.session.running_job_id).not.toBeNull()
  })

  test('answers 202 and queues the prompt and its goal for a running session', async () => {
    const id = await insertRunning({ goal: 'as before' })
    const { status, body } = await followUp(id, { prompt: 'say later', goal: 'then this' })
    expect(status).toBe(202)
    expect(body).toEqual({
      session: expect.objectContaining({ status: 'running', goal: 'as before' }),
      enqueued_message: { id: expect.any(Number), position: 1, status: 'pending' },
      message: 'Message queued (session is running). It will be sent when the agent completes its current task.',
    })
    expect((await app.get(path(id))).body.enqueued_messages).toMatchObject([{ goal: 'then this', origin: 'caller' }])
  })

  test('answers 200 and interrupts the running turn with force_immediate', async () => {
    const id = await insertRunning()
    const { status, body } = await followUp(id, { prompt: 'say now', force_immediate: 'true' })
    expect([status, body.message]).toEqual([200, 'Follow-up prompt sent immediately'])
    expect(body).not.toHaveProperty('enqueued_message')
    const { rows } = await app.pool.query('select withdrawn_by from turns where session_id = $1 order by sequence', [
      id,
    ])
    expect(rows[0]).toEqual({ withdrawn_by: 'interrupt' })
  })

  test('keeps the goal of the session if the request has a blank goal', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input', goal: 'stays' })
    expect((await followUp(id, { prompt: 'say more', goal: '  ' })).body.session.goal).toBe('stays')
  })

  test('answers with the armed wake and leaves it armed', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const at = new Date('2031-09-05T08:06:00Z')
    await transact(app.host.app.db, async (tx) => {
      await armWake(tx, { sessionId: id, at: null })
      await armWake(tx, { sessionId: id, at })
    })
    const wake = { at: '2031-09-05T08:06:00Z', preserved: true }
    expect((await followUp(id, { prompt: 'say one' })).body.pending_wake).toEqual(wake)
    expect((await followUp(id, { prompt: 'say two' })).body.pending_wake).toEqual(wake)
    const watching = await insertRunning()
    await transact(app.host.app.db, (tx) => armWake(tx, { sessionId: watching, at: null }))
    expect((await followUp(watching, { prompt: 'say' })).body.pending_wake).toEqual({ at: null, preserved: true })
  })

  test('records acting_session_id as an uncle and ignores an unknown one', async () => {
    const [senior, junior] = [await insertSession(app.pool), await insertRunning()]
    for (const acting_session_id of ['no-such-slug', 999_999, null, senior, String(senior)]) {
      expect((await followUp(junior, { prompt: 'say', acting_session_id })).status).toBe(202)
    }
    const { nodes } = (await app.get(`/sessions/${junior}`)).body.session_hierarchy
    expect(nodes.find(({ id }: { id: number }) => id === junior).uncle_session_ids).toEqual([senior])
  })

  test.each([
    [{}, 'Missing parameter', 'prompt is required'],
    [{ prompt: null }, 'Missing parameter', 'prompt is required'],
    [{ prompt: ' \n ' }, 'Missing parameter', 'prompt is required'],
    [{ prompt: 7 }, 'Validation failed', 'Prompt must be a string'],
    [{ prompt: 'x'.repeat(500_001) }, 'Validation failed', 'prompt is too long (maximum 500000 characters)'],
    [{ prompt: 'x', goal: 'y'.repeat(50_001) }, 'Validation failed', 'goal is too long (maximum 50000 characters)'],
    [{ prompt: 'x', force_immediate: 'perhaps' }, 'Validation failed', 'Force immediate must be true or false'],
  ])('rejects an invalid request with 422 and changes nothing (%#)', async (body, error, message) => {
    const id = await insertRunning()
    expectProblem(await changesNothing(app.pool, () => followUp(id, body)), 422, error, message)
  })

  test('accepts a prompt of 500,000 characters and a goal of 50,000, not counting surrounding spaces', async () => {
    const prompt = `  ${'😀'.repeat(500_000)}  `
    expect((await followUp(await insertRunning(), { prompt, goal: 'g'.repeat(50_000) })).status).toBe(202)
  })

  test.each(['failed', 'archived'])(
    'rejects a prompt to a session that is %s with 422 and changes nothing',
    async (status) => {
      const archived_at = status === 'archived' ? new Date() : null
      const id = await insertSession(app.pool, { status, archived_at })
      const sentence = `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`
      for (const force_immediate of [false, true]) {
        const answer = await changesNothing(app.pool, () => followUp(id, { prompt: 'say', force_immediate }))
        expectProblem(answer, 422, 'Cannot send follow-up', sentence)
      }
    },
  )

  test('answers 404 for an unknown session', async () => {
    expectProblem(await followUp('no-such', { prompt: 'say' }), 404, 'Not Found')
  })
})

describe('enqueued messages', () => {
  test('are created at the end of the queue, and can be shown, listed and filtered', async () => {
    const id = await insertRunning()
    const created = await app.post(path(id), {
      content: ' one ',
      goal: ' g ',
      origin: 'automated_pr_merged',
      status: 'sent',
      position: 9,
    })
    expect(created.status).toBe(201)
    const message = created.body.enqueued_message
    expect(message).toEqual({
      id: expect.any(Number),
      session_id: id,
      content: 'one',
      goal: 'g',
      position: 1,
      status: 'pending',
      origin: 'caller',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    await enqueue(id, 'two')
    expect((await app.get(path(id, `/${message.id}`))).body).toEqual({ enqueued_message: message })
    const { body } = await app.get(path(id, '?per_page=1&page=2'))
    expect(body).toMatchObject({
      enqueued_messages: [{ content: 'two', position: 2 }],
      pagination: { page: 2, per_page: 1, total_count: 2, total_pages: 2 },
    })
    expect((await app.get(path(id, '?status=sent'))).body.enqueued_messages).toEqual([])
    expect((await app.get(path(id, '?status=nonsense'))).body.enqueued_messages).toEqual([])
  })

  test('of a resting session stay in order and prevent an archive without force', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await enqueue(id, 'a', 'b', 'c')
    expect(await contentsOf(id)).toEqual(['a', 'b', 'c'])
    expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('needs_input')
    expectProblem(await app.post(`/sessions/${id}/archive`), 422, 'Queued messages would be discarded')
  })

  test('are changed only in the keys that the request has', async () => {
    const id = await insertRunning()
    const [message] = await enqueue(id, 'old')
    const change = (body: unknown) => app.patch(path(id, `/${message}`), body)
    expect((await change({ goal: 'new goal' })).body.enqueued_message).toMatchObject({
      content: 'old',
      goal: 'new goal',
    })
    expect((await change({ content: ' new ' })).body.enqueued_message).toMatchObject({
      content: 'new',
      goal: 'new goal',
    })
    expect((await change({ goal: '' })).body.enqueued_message).toMatchObject({ content: 'new', goal: null })
    expectProblem(
      await changesNothing(app.pool, () => change({ content: ' ' })),
      422,
      'Validation failed',
      "Content can't be blank",
    )
  })

  test('can be moved and deleted, and the positions of the others have no gaps', async () => {
    const id = await insertRunning()
    const [first, , third] = await enqueue(id, 'a', 'b', 'c', 'd')
    expect(await app.patch(path(id, `/${third}/reorder`), { position: '1' })).toMatchObject({
      status: 200,
      body: { enqueued_message: { id: third, position: 1 } },
    })
    expect(await contentsOf(id)).toEqual(['c', 'a', 'b', 'd'])
    expect((await app.patch(path(id, `/${third}/reorder`), { position: 50 })).body.enqueued_message.position).toBe(4)
    expect((await app.delete(path(id, `/${first}`))).status).toBe(204)
    expect(await contentsOf(id)).toEqual(['b', 'd', 'c'])
    const { body } = await app.get(path(id))
    expect(body.enqueued_messages.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3])
  })

  test('are delivered once by concurrent interrupts; the other callers get 409', async () => {
    const id = await insertRunning()
    const [, second] = await enqueue(id, 'a', 'b')
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.post(path(id, `/${second}/interrupt`))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
      session: { id },
      message: 'Message sent as interrupt',
    })
    const late = answers.find(({ status }) => status === 409)
    if (late) expectProblem(late, 409, 'Cannot interrupt', 'Message is sent and cannot be sent again')
    expect(await contentsOf(id)).toEqual(['a'])
  })

  test.each([0, -1, 1.5, 'x', null, undefined, {}, true])(
    'cannot be moved to the position %j, and nothing changes',
    async (position) => {
      const id = await insertRunning()
      const [message] = await enqueue(id, 'a')
      const answer = await changesNothing(app.pool, () => app.patch(path(id, `/${message}/reorder`), { position }))
      expectProblem(answer, 422, 'Invalid position', 'Position must be >= 1')
    },
  )

  test.each([
    [{}, 'Missing parameter', 'content is required'],
    [{ content: ' ' }, 'Missing parameter', 'content is required'],
    [{ content: [] }, 'Validation failed', 'Content must be a string'],
    [{ content: 'x'.repeat(500_001) }, 'Validation failed', 'Content is too long (maximum 500,000 characters)'],
    [{ content: 'x', goal: 'y'.repeat(50_001) }, 'Validation failed', 'Goal is too long (maximum 50,000 characters)'],
  ])('are rejected with 422 if the request is invalid, and nothing changes (%#)', async (body, error, message) => {
    const id = await insertRunning()
    expectProblem(await changesNothing(app.pool, () => app.post(path(id), body)), 422, error, message)
  })

  test('cannot be changed after their delivery', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const [sent] = await enqueue(id, 'say gone')
    await app.post(path(id, `/${sent}/interrupt`))
    for (const ask of [
      () => app.patch(path(id, `/${sent}`), { content: 'too late' }),
      () => app.patch(path(id, `/${sent}/reorder`), { position: 1 }),
    ]) {
      expectProblem(await ask(), 409, 'Conflict', 'Message is sent and cannot be changed')
    }
  })

  test('are rejected by an archived session and kept by a failed one', async () => {
    const archived = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
    expectProblem(await app.post(path(archived), { content: 'x' }), 422, 'Cannot send follow-up')
    const failed = await insertSession(app.pool, { status: 'failed' })
    const [kept] = await enqueue(failed, 'kept')
    expect(await contentsOf(failed)).toEqual(['kept'])
    expectProblem(await app.post(path(failed, `/${kept}/interrupt`)), 422, 'Cannot interrupt')
  })

  test('answer 404 if the message belongs to another session or is unknown', async () => {
    const [id, other] = [await insertRunning(), await insertRunning()]
    const [message] = await enqueue(id, 'mine')
    for (const answer of [
      await app.get(path(other, `/${message}`)),
      await app.patch(path(other, `/${message}`), { content: 'x' }),
      await app.delete(path(other, `/${message}`)),
      await app.patch(path(other, `/${message}/reorder`), { position: 1 }),
      await app.post(path(other, `/${message}/interrupt`)),
      await app.get(path(id, '/99999999999999999999')),
      await app.get(path(999_999)),
      await app.post(path(999_999), { content: 'x' }),
    ]) {
      expectProblem(answer, 404, 'Not Found')
    }
  })
})
