import { beforeEach, describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { announceRest } from '../../../src/domain/notifications/announce-rest.ts'
import { followSessions } from '../../../src/domain/notifications/follow-sessions.ts'
import { transition } from '../../../src/domain/sessions/session.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { insertRunningSession, insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'
import { byHand } from '../../support/triggers/by-hand.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { work, waiting, pass } = byHand(app, { subscription: followSessions, handlers: [announceRest] })

type Cause = Parameters<typeof transition>[2]['cause']
const running = (columns = {}) => insertSession(app.pool, { status: 'running', title: 'Fix login', ...columns })
const move = async (sessionId: number, ...causes: Cause[]) => {
  for (const cause of causes)
    await transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId, cause }))
}
const listed = async (): Promise<Record<string, unknown>[]> => (await app.get('/notifications')).body.notifications
const say = (sessionId: number, text: string) =>
  insertTranscript(app.pool, sessionId, [
    JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }),
  ])

beforeEach(async () => {
  await work()
  await pass(100)
  await work()
  await app.pool.query('delete from notifications')
})

describe('a session that needs input', () => {
  test('is announced after sixty seconds of rest, with the last words of its agent in one line', async () => {
    const id = await running()
    await say(id, 'Which\nport?')
    await move(id, 'turn_ended')
    await work()
    expect(await waiting()).toEqual([60])
    expect(await listed()).toEqual([])
    await pass(60)
    await work()
    expect(await listed()).toEqual([
      {
        id: expect.any(Number),
        session_id: id,
        notification_type: 'needs_input',
        title: 'Fix login',
        body: 'Which port?',
        url: `/sessions/${id}`,
        read: false,
        stale: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        session: { id, slug: null, title: 'Fix login', status: 'needs_input' },
      },
    ])
  })

  test('is announced with a plain sentence if its agent said nothing, and by its number if it has no title', async () => {
    const id = await running({ title: null })
    await move(id, 'turn_ended')
    await work()
    await pass(60)
    await work()
    expect(await listed()).toMatchObject([{ title: `Session ${id}`, body: 'Needs your input' }])
  })

  test('is not announced for a rest that a prompt has ended, and once for the rest that lasts', async () => {
    const id = await running()
    await move(id, 'turn_ended')
    await work()
    await move(id, 'resume', 'turn_started', 'turn_ended')
    await pass(60)
    await work()
    expect(await listed()).toEqual([])
    await pass(60)
    await work()
    expect(await listed()).toHaveLength(1)
  })

  test('is announced once, however often the job runs and on however many workers at once', async () => {
    const id = await running()
    await move(id, 'turn_ended')
    await work()
    const { rows } = await app.pool.query<{ payload: unknown }>(
      `select payload from graphile_worker._private_jobs jobs
       join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id where identifier = 'announce_rest'`,
    )
    await Promise.all(Array.from({ length: 8 }, () => announceRest.perform(rows[0]?.payload, app.host.app)))
    expect(await listed()).toHaveLength(1)
  })

  test.each<[string, Cause[]]>([
    ['a person paused it', ['pause']],
    ['it returned from the archive', ['archive', 'unarchive']],
    ['it asks a question, which is announced by itself', ['elicitation_asked']],
  ])('is not announced when %s', async (_about, causes) => {
    await move(await running(), ...causes)
    await work()
    expect(await waiting()).toEqual([])
    expect(await listed()).toEqual([])
  })

  test('is not announced for a session that only writes a summary', async () => {
    const of = await insertSession(app.pool, { status: 'needs_input' })
    await move(await running({ summary_of_session_id: of }), 'turn_ended')
    await work()
    expect(await waiting()).toEqual([])
  })

  test('never carries a secret of the service', async () => {
    const id = await running()
    await say(id, 'test-key')
    await move(id, 'turn_ended')
    await work()
    await pass(60)
    await work()
    expect(JSON.stringify(await listed())).not.toContain('test-key')
  })
})

describe('a session that failed', () => {
  test('is announced at once with the reason, cut to 200 characters', async () => {
    const id = await running({ metadata: { failure_reason: 'git_clone_failed', exit_status: 'x'.repeat(500) } })
    await move(id, 'turn_failed')
    await work()
    const [notification] = await listed()
    expect(notification).toMatchObject({ notification_type: 'session_failed', session: { status: 'failed' } })
    expect(notification?.body).toMatch(/^git clone failed: x+\.\.\.$/)
    expect(notification?.body).toHaveLength(200)
  })

  test('is announced again when it fails again with the same reason, and only the last one stays listed', async () => {
    const id = await running()
    await move(id, 'turn_failed')
    await work()
    await move(id, 'resume', 'turn_started', 'turn_failed')
    await work()
    expect(await listed()).toMatchObject([{ session_id: id, stale: false }])
    const { rows } = await app.pool.query('select stale from notifications where session_id = $1 order by id', [id])
    expect(rows).toEqual([{ stale: true }, { stale: false }])
  })

  test('is not announced when it has moved on before the event is handled, so that no text of a later state is shown', async () => {
    const id = await running({ metadata: { failure_reason: 'git_clone_failed' } })
    await move(id, 'turn_failed', 'resume', 'turn_started')
    await app.pool.query(`update sessions set metadata = '{"failure_reason": "later"}' where id = $1`, [id])
    await move(id, 'turn_failed')
    await work()
    const { rows } = await app.pool.query('select body from notifications where session_id = $1', [id])
    expect(rows).toEqual([{ body: 'later' }])
  })

  test('is announced once when the event is handled twice', async () => {
    const id = await running()
    await move(id, 'turn_failed')
    const { events, db } = app.host.app
    await events.lastPosition()
    const [event] = (await events.read({ position: 0 }, 10_000)).filter(
      (each) => each.session_id === id && each.name === 'session.status_changed',
    )
    if (!event) throw new Error('there is no event')
    for (let n = 0; n < 2; n += 1) await transact(db, (tx) => followSessions.handle(app.host.app, tx, event))
    expect(await listed()).toHaveLength(1)
  })
})

describe('staleness', () => {
  const push = (id: number, message: string) => app.post('/notifications/push', { session_id: id, message })

  test('a notification about a state becomes stale when the session moves on; a message stays', async () => {
    const id = await running()
    await push(id, 'The tests pass.')
    await move(id, 'turn_failed')
    await work()
    expect((await listed()).map(({ notification_type }) => notification_type)).toEqual([
      'session_failed',
      'custom_message',
    ])
    const [failed] = await listed()
    await move(id, 'resume')
    await work()
    expect(await listed()).toMatchObject([{ notification_type: 'custom_message', body: 'The tests pass.' }])
    expect((await app.get(`/notifications/${failed?.id}`)).body.notification).toMatchObject({
      stale: true,
      read: false,
    })
    expect((await app.get('/notifications/badge')).body).toEqual({ pending_count: 1 })
  })

  test('a follow-up of a person makes messages stale too, and so does the archive', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => insertSession(app.pool, { status: 'needs_input' })))
    for (const id of [one, other]) await push(id ?? 0, 'Look at this.')
    expect((await app.post(`/sessions/${one}/follow_up`, { prompt: 'say hi' })).status).toBe(200)
    expect((await app.post(`/sessions/${other}/archive`)).status).toBe(200)
    await work()
    expect(await listed()).toEqual([])
  })

  test('a follow-up of a person to a running session and a restart make messages stale too', async () => {
    const busy = await insertRunningSession(app.pool)
    const failed = await insertSession(app.pool, { status: 'failed' })
    for (const id of [busy, failed]) await push(id, 'Look at this.')
    expect((await app.post(`/sessions/${busy}/follow_up`, { prompt: 'say hi' })).status).toBe(202)
    expect((await app.post(`/sessions/${failed}/restart`)).status).toBe(200)
    await work()
    expect(await listed()).toEqual([])
  })

  test('a message that a person queues makes messages stale too; one that an agent queues does not', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => insertRunningSession(app.pool)))
    for (const id of [one, other]) await push(id ?? 0, 'Look at this.')
    const queue = (id: number | undefined, more = {}) =>
      app.post(`/sessions/${id}/enqueued_messages`, { content: 'say hi', ...more })
    expect((await queue(one)).status).toBe(201)
    expect((await queue(other, { acting_session_id: one })).status).toBe(201)
    expect((await listed()).map(({ session_id }) => session_id)).toEqual([other])
  })

  test('deleting a session with notifications announces that the list has changed; without any it does not', async () => {
    const [told = 0, untold = 0] = await Promise.all([1, 2].map(() => insertSession(app.pool)))
    await push(told, 'Look at this.')
    const { events } = app.host.app
    const from = await events.lastPosition()
    for (const id of [told, untold]) expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    await events.lastPosition()
    const names = (await events.read({ position: from }, 100)).map(({ name, session_id }) => [name, session_id])
    expect(names).toEqual([
      ['notifications.changed', told],
      ['session.deleted', told],
      ['session.deleted', untold],
    ])
    expect(await listed()).toEqual([])
  })

  test('an agent that archives its own session or a child, or follows one up, leaves the messages listed', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => insertSession(app.pool, { status: 'needs_input' })))
    const [own = 0, child = 0, other = 0] = ids
    for (const id of ids) await push(id, `About ${id}.`)
    await archiveSession(app.host.app, { id: own }, { force: false, agentOf: own })
    await archiveSession(app.host.app, { id: child }, { force: false, agentOf: own })
    await app.post(`/sessions/${other}/follow_up`, { prompt: 'say hi', acting_session_id: own })
    await work()
    const messages = (await listed()).filter(({ notification_type }) => notification_type === 'custom_message')
    expect(messages.map(({ session_id }) => session_id)).toEqual(ids.toReversed())
  })

  test('a message that was sent after the session resumed stays, however late the events are handled', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await app.post(`/sessions/${id}/follow_up`, { prompt: 'say hi' })
    await push(id, 'Begun.')
    await work()
    expect(await listed()).toMatchObject([{ body: 'Begun.' }])
  })

  test('what was read is removed after thirty days, and a session archived for as long has nothing listed', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    const archived = await insertSession(app.pool, { status: 'archived', archived_at: '2026-01-01' })
    await app.pool.query(
      `insert into notifications (session_id, notification_type, title, body, read, updated_at)
       values ($1, 'custom_message', 't', 'read', true, now() - interval '31 days'),
         ($1, 'custom_message', 't', 'just read', true, now()),
         ($2, 'session_complete', 't', 'finished', false, now())`,
      [id, archived],
    )
    await runPeriodic(app.host.app, 'prune_notifications')
    expect((await listed()).map(({ body }) => body)).toEqual(['just read'])
  })

  test('stale notifications are removed after thirty days', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await app.pool.query(
      `insert into notifications (session_id, notification_type, title, body, stale, updated_at)
       values ($1, 'needs_input', 't', 'old', true, now() - interval '31 days'),
         ($1, 'needs_input', 't', 'recent', true, now() - interval '29 days'),
         ($1, 'needs_input', 't', 'open', false, now() - interval '31 days')`,
      [id],
    )
    await runPeriodic(app.host.app, 'prune_notifications')
    const { rows } = await app.pool.query('select body from notifications order by id')
    expect(rows).toEqual([{ body: 'recent' }, { body: 'open' }])
  })
})
