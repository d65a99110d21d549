import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'

/** Without a worker, whose turn would fail in the repository that is not there, and return its message to the queue. */
const app = testApp({ environment: { ROLE: 'web' } })
const path = (id: number, rest = '') => `/sessions/${id}/enqueued_messages${rest}`

async function enqueue(id: number, ...contents: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const content of contents) ids.push((await app.post(path(id), { content })).body.enqueued_message.id)
  return ids
}

const contentsOf = async (id: number): Promise<string[]> =>
  (await app.get(path(id, '?status=pending'))).body.enqueued_messages.map(({ content }: { content: string }) => content)

describe('enqueued messages', () => {
  test('enqueued messages are created at the end of the queue, and can be shown, listed and filtered', async () => {
    const id = await insertRunningSession(app.pool)
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

  test('enqueued messages of a resting session stay in order and prevent an archive without force', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await enqueue(id, 'a', 'b', 'c')
    expect(await contentsOf(id)).toEqual(['a', 'b', 'c'])
    expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('needs_input')
    expectProblem(await app.post(`/sessions/${id}/archive`), 422, 'Queued messages would be discarded')
  })

  test('enqueued messages are changed only in the keys that the request has', async () => {
    const id = await insertRunningSession(app.pool)
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

  test('enqueued messages can be moved and deleted, and the positions of the others have no gaps', async () => {
    const id = await insertRunningSession(app.pool)
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

  test('enqueued messages are delivered once by concurrent interrupts; the other callers get 409', async () => {
    const id = await insertRunningSession(app.pool)
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
    'enqueued messages cannot be moved to the position %j, and nothing changes',
    async (position) => {
      const id = await insertRunningSession(app.pool)
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
  ])(
    'enqueued messages are rejected with 422 if the request is invalid, and nothing changes (%#)',
    async (body, error, message) => {
      const id = await insertRunningSession(app.pool)
      expectProblem(await changesNothing(app.pool, () => app.post(path(id), body)), 422, error, message)
    },
  )

  test('enqueued messages cannot be changed after their delivery', async () => {
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

  test('enqueued messages are rejected by an archived session and kept by a failed one', async () => {
    const archived = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
    expectProblem(await app.post(path(archived), { content: 'x' }), 422, 'Cannot send follow-up')
    const failed = await insertSession(app.pool, { status: 'failed' })
    const [kept] = await enqueue(failed, 'kept')
    expect(await contentsOf(failed)).toEqual(['kept'])
    expectProblem(await app.post(path(failed, `/${kept}/interrupt`)), 422, 'Cannot interrupt')
  })

  test('answer 404 if the message belongs to another session or is unknown', async () => {
    const [id, other] = [await insertRunningSession(app.pool), await insertRunningSession(app.pool)]
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
