import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'

/** Without a worker, whose turn would fail in the repository that is not there, between two requests of a test. */
const app = testApp({ environment: { ROLE: 'web' } })
const followUp = (id: number | string, body: unknown) => app.post(`/sessions/${id}/follow_up`, body)

describe('POST /sessions/:id/follow_up', () => {
  test('POST /sessions/:id/follow_up answers 200 and makes the prompt the next turn of a resting session', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const { status, body } = await followUp(id, { prompt: '  say more \n', goal: ' be brief ' })
    expect(status).toBe(200)
    expect(body).toEqual({ session: expect.any(Object), message: 'Follow-up prompt sent' })
    expect(body.session).toMatchObject({ status: 'waiting', prompt: 'say more', goal: 'be brief' })
    expect(body.session.running_job_id).not.toBeNull()
  })

  test('POST /sessions/:id/follow_up answers 202 and queues the prompt and its goal for a running session', async () => {
    const id = await insertRunningSession(app.pool, { goal: 'as before' })
    const { status, body } = await followUp(id, { prompt: 'say later', goal: 'then this' })
    expect(status).toBe(202)
    expect(body).toEqual({
      session: expect.objectContaining({ status: 'running', goal: 'as before' }),
      enqueued_message: { id: expect.any(Number), position: 1, status: 'pending' },
      message: 'Message queued (session is running). It will be sent when the agent completes its current task.',
    })
    expect((await app.get(`/sessions/${id}/enqueued_messages`)).body.enqueued_messages).toMatchObject([
      { goal: 'then this', origin: 'caller' },
    ])
  })

  test('POST /sessions/:id/follow_up answers 200 and interrupts the running turn with force_immediate', async () => {
    const id = await insertRunningSession(app.pool)
    const { status, body } = await followUp(id, { prompt: 'say now', force_immediate: 'true' })
    expect([status, body.message]).toEqual([200, 'Follow-up prompt sent immediately'])
    expect(body).not.toHaveProperty('enqueued_message')
    const { rows } = await app.pool.query('select withdrawn_by from turns where session_id = $1 order by sequence', [
      id,
    ])
    expect(rows[0]).toEqual({ withdrawn_by: 'interrupt' })
  })

  test('POST /sessions/:id/follow_up keeps the goal of the session if the request has a blank goal', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input', goal: 'stays' })
    expect((await followUp(id, { prompt: 'say more', goal: '  ' })).body.session.goal).toBe('stays')
  })

  test('POST /sessions/:id/follow_up answers with the armed wake and leaves it armed', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const at = new Date('2031-09-05T08:06:00Z')
    const watched = await insertSession(app.pool)
    await armWake(app, id, { event_name: 'session_failed', watched_session_id: watched })
    await armWake(app, id, { scheduled_at: at.toISOString() })
    const wake = { at: '2031-09-05T08:06:00Z', preserved: true }
    expect((await followUp(id, { prompt: 'say one' })).body.pending_wake).toEqual(wake)
    expect((await followUp(id, { prompt: 'say two' })).body.pending_wake).toEqual(wake)
    const watching = await insertRunningSession(app.pool)
    await armWake(app, watching, { event_name: 'session_failed', watched_session_id: watched })
    expect((await followUp(watching, { prompt: 'say' })).body.pending_wake).toEqual({ at: null, preserved: true })
  })

  test('POST /sessions/:id/follow_up records acting_session_id as an uncle and ignores an unknown one', async () => {
    const [senior, junior] = [await insertSession(app.pool), await insertRunningSession(app.pool)]
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
  ])(
    'POST /sessions/:id/follow_up rejects an invalid request with 422 and changes nothing (%#)',
    async (body, error, message) => {
      const id = await insertRunningSession(app.pool)
      expectProblem(await changesNothing(app.pool, () => followUp(id, body)), 422, error, message)
    },
  )

  test('POST /sessions/:id/follow_up accepts a prompt of 500,000 characters and a goal of 50,000, not counting surrounding spaces', async () => {
    const prompt = `  ${'😀'.repeat(500_000)}  `
    expect((await followUp(await insertRunningSession(app.pool), { prompt, goal: 'g'.repeat(50_000) })).status).toBe(
      202,
    )
  })

  test.each(['failed', 'archived'])(
    'POST /sessions/:id/follow_up rejects a prompt to a session that is %s with 422 and changes nothing',
    async (status) => {
      const archived_at = status === 'archived' ? new Date() : null
      const id = await insertSession(app.pool, { status, archived_at })
      const remedy = { failed: 'Restart it first: POST /sessions/{id}/restart.' }[status]
      const sentences = [
        `Session is ${status}. Follow-up prompts can only be sent to running, waiting, or needs_input sessions.`,
        remedy ?? 'Unarchive it first: POST /sessions/{id}/unarchive.',
      ]
      for (const force_immediate of [false, true]) {
        const answer = await changesNothing(app.pool, () => followUp(id, { prompt: 'say', force_immediate }))
        expectProblem(answer, 422, 'Cannot send follow-up', ...sentences)
      }
    },
  )

  test('POST /sessions/:id/follow_up answers 404 for an unknown session', async () => {
    expectProblem(await followUp('no-such', { prompt: 'say' }), 404, 'Not Found')
  })
})
