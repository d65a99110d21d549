import { beforeEach, describe, expect, test } from 'vitest'
import { sendMessage } from '../../../src/domain/notifications/send-message.ts'
import { sendPushJob } from '../../../src/domain/notifications/send-push-job.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
let session: number
let count = 0
const push = (body: unknown) => app.post('/notifications/push', body)
const listed = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await app.get(`/notifications${query}`)).body.notifications
const bodies = async (query = '') => (await listed(query)).map(({ body }) => body)

/** One notification for each text; the ids, in order. */
async function made(...messages: string[]): Promise<number[]> {
  for (const message of messages) expect((await push({ session_id: session, message })).status).toBe(200)
  const rows = await listed()
  return messages.map((message) => Number(rows.find(({ body }) => body === message)?.id))
}
const read = (id: number | undefined) => app.patch(`/notifications/${id}/mark_read`)

beforeEach(async () => {
  await app.pool.query('delete from notifications')
  count += 1
  session = await insertSession(app.pool, { status: 'needs_input', title: 'Fix login', slug: `fix-login-${count}` })
})

describe('GET /notifications', () => {
  test('GET /notifications lists newest first, in pages', async () => {
    await made('one', 'two', 'three')
    expect(await bodies()).toEqual(['three', 'two', 'one'])
    const { body } = await app.get('/notifications?page=2&per_page=2')
    expect(body.notifications).toMatchObject([{ body: 'one' }])
    expect(body.pagination).toEqual({ page: 2, per_page: 2, total_count: 3, total_pages: 2 })
  })

  test('GET /notifications filters by status and ignores any other status', async () => {
    const [one] = await made('one', 'two')
    await read(one)
    expect(await bodies('?status=read')).toEqual(['one'])
    expect(await bodies('?status=unread')).toEqual(['two'])
    for (const status of ['', 'READ', 'stale', '%27%20or%201=1'])
      expect(await bodies(`?status=${status}`)).toEqual(['two', 'one'])
  })
})

describe('messages of an agent', () => {
  test('an agent tells people at most 20 things an hour about a session, also at once; an API key is not limited', async () => {
    const send = (message: string) => sendMessage(app.host.app, { id: session }, { message, agentOf: session })
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, (_, n) => send(`Step ${n}`)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(5)
    expect(refused[0]).toMatchObject({ reason: { kind: 'too_many_notifications' } })
    expect(await listed()).toHaveLength(20)
    expect((await push({ session_id: session, message: 'By a person' })).status).toBe(200)
    await app.pool.query("update notifications set created_at = now() - interval '61 minutes'")
    await send('An hour later')
  })

  test('pushes have a queue of their own, so that a push service that hangs delays nothing else', () => {
    expect(sendPushJob.queue).toBe('pushes')
  })
})

describe('GET /notifications/:id and GET /notifications/badge', () => {
  test('GET /notifications/:id shows one with its session, and answers 404 for an unknown id', async () => {
    const [one] = await made('one')
    expect((await app.get(`/notifications/${one}`)).body.notification).toMatchObject({
      id: one,
      session_id: session,
      notification_type: 'custom_message',
      title: 'Fix login',
      body: 'one',
      url: `/sessions/${session}`,
      session: { id: session, title: 'Fix login', status: 'needs_input' },
    })
    for (const id of ['999999', 'x', '1e3', '-1', '99999999999999999999'])
      expectProblem(await app.get(`/notifications/${id}`), 404, 'Not Found')
  })

  test('GET /notifications/badge counts what waits to be read', async () => {
    const [one] = await made('one', 'two')
    expect((await app.get('/notifications/badge')).body).toEqual({ pending_count: 2 })
    await read(one)
    expect((await app.get('/notifications/badge')).body).toEqual({ pending_count: 1 })
  })
})

describe('PATCH /notifications/:id/mark_read and PATCH /notifications/mark_all_read', () => {
  test('PATCH /notifications/:id/mark_read may be repeated, and answers 404 for an unknown id', async () => {
    const [one] = await made('one')
    for (let n = 0; n < 2; n += 1)
      expect(await read(one)).toMatchObject({ status: 200, body: { notification: { id: one, read: true } } })
    expectProblem(await changesNothing(app.pool, () => read(999_999)), 404, 'Not Found')
  })

  test('PATCH /notifications/mark_all_read counts what it marked and leaves stale ones', async () => {
    const [one, two] = await made('one', 'two', 'three')
    await read(one)
    await app.pool.query('update notifications set stale = true where id = $1', [two])
    expect((await app.patch('/notifications/mark_all_read')).body).toEqual({ marked_count: 1, pending_count: 0 })
    expect((await app.get(`/notifications/${two}`)).body.notification.read).toBe(false)
    expect((await app.patch('/notifications/mark_all_read')).body).toEqual({ marked_count: 0, pending_count: 0 })
  })
})

describe('DELETE /notifications/:id/dismiss, DELETE /notifications/:id and DELETE /notifications/dismiss_all_read', () => {
  test.each(['/dismiss', ''])(
    'DELETE /notifications/:id%s removes one that was read and refuses an unread one',
    async (path) => {
      const [one] = await made('one')
      const refused = await changesNothing(app.pool, () => app.delete(`/notifications/${one}${path}`))
      expectProblem(refused, 422, 'Cannot dismiss', 'Cannot dismiss unread notification')
      await read(one)
      expect(await app.delete(`/notifications/${one}${path}`)).toMatchObject({ status: 204, body: '' })
      expectProblem(await app.delete(`/notifications/${one}${path}`), 404, 'Not Found')
    },
  )

  test('one of two people who dismiss the same notification at once gets 204, the other 404', async () => {
    const [one] = await made('one')
    await read(one)
    const answers = await Promise.all([1, 2, 3].map(() => app.delete(`/notifications/${one}/dismiss`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404])
  })

  test('DELETE /notifications/dismiss_all_read removes what was read and counts the rest', async () => {
    const [one, two] = await made('one', 'two', 'three')
    await Promise.all([read(one), read(two)])
    expect((await app.delete('/notifications/dismiss_all_read')).body).toEqual({ dismissed_count: 2, pending_count: 1 })
    expect(await bodies()).toEqual(['three'])
  })

  test('what is dismissed and marked at the same time is counted once', async () => {
    await made(...Array.from({ length: 20 }, (_, index) => `message ${index}`))
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => app.patch('/notifications/mark_all_read')),
      ...[1, 2, 3].map(() => app.delete('/notifications/dismiss_all_read')),
    ])
    const sum = (key: string) => answers.reduce((total, { body }) => total + (body[key] ?? 0), 0)
    expect(sum('marked_count')).toBe(20)
    await app.delete('/notifications/dismiss_all_read')
    expect(await bodies()).toEqual([])
  })
})

describe('POST /notifications/push', () => {
  test('POST /notifications/push makes a notification for a session that is named by id or slug', async () => {
    const { slug } = (await app.get(`/sessions/${session}`)).body.session
    for (const [index, name] of [session, String(session), slug].entries())
      expect(await push({ session_id: name, message: `message ${index}` })).toMatchObject({
        status: 200,
        body: { success: true, message: 'Push notification queued', session_id: session },
      })
    expect(await bodies()).toEqual(['message 2', 'message 1', 'message 0'])
  })

  test('POST /notifications/push makes the same message once in fifteen minutes, and another one at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => push({ session_id: session, message: 'same' })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    await push({ session_id: session, message: 'other' })
    expect(await bodies()).toEqual(['other', 'same'])
    await app.pool.query("update notifications set created_at = now() - interval '16 minutes' where body = 'same'")
    await push({ session_id: session, message: 'same' })
    expect(await bodies()).toEqual(['same', 'other', 'same'])
  })

  test('POST /notifications/push makes the same message again for another session', async () => {
    await push({ session_id: session, message: 'same' })
    await push({ session_id: await insertSession(app.pool, {}), message: 'same' })
    expect(await bodies()).toEqual(['same', 'same'])
  })

  test.each<[unknown, string, string[]]>([
    [{}, 'Missing parameter', ['session_id is required']],
    [{ message: 'x' }, 'Missing parameter', ['session_id is required']],
    [{ session_id: '', message: 'x' }, 'Missing parameter', ['session_id is required']],
    [{ session_id: 1 }, 'Missing parameter', ['message is required']],
    [{ session_id: 1, message: ' \n' }, 'Missing parameter', ['message is required']],
    [{ session_id: 1, message: null }, 'Missing parameter', ['message is required']],
    [{ session_id: 1, message: { toString: 'x' } }, 'Validation failed', ['Message must be a text']],
    [{ session_id: [1], message: 'x' }, 'Validation failed', ['session_id must be the id or the slug of a session']],
  ])('POST /notifications/push rejects %j with 422 and changes nothing', async (body, label, messages) => {
    expectProblem(await changesNothing(app.pool, () => push(body)), 422, label, ...messages)
  })

  test.each([999_999, '99999999999999999999', 'no-such-slug', 1.5, -1, "' or 1=1 --", '../1'])(
    'POST /notifications/push answers 404 for the unknown session %j and changes nothing',
    async (name) => {
      expectProblem(await changesNothing(app.pool, () => push({ session_id: name, message: 'x' })), 404, 'Not Found')
    },
  )

  test('POST /notifications/push stores 1,000 characters of any script, and no secret of the service', async () => {
    expect((await push({ session_id: session, message: '🚂'.repeat(1000) })).status).toBe(200)
    expect((await push({ session_id: session, message: 'the key is test-key' })).status).toBe(200)
    const [secret, trains] = await listed()
    expect(trains?.body).toBe('🚂'.repeat(1000))
    expect(secret?.body).not.toContain('test-key')
  })

  test('POST /notifications/push cuts a longer message with an ellipsis instead of refusing it', async () => {
    for (const length of [1001, 100_000])
      expect((await push({ session_id: session, message: String(length).padEnd(length, 'x') })).status).toBe(200)
    for (const body of await bodies()) {
      expect(body).toMatch(/^\d+x+\.\.\.$/)
      expect(body).toHaveLength(1000)
    }
  })

  test('a long message waits for no redaction thread, so that its transaction holds no lock meanwhile', async () => {
    const { redactor } = app.host.app
    const stuck = { ...redactor, text: () => new Promise<never>(() => undefined) }
    const message = 'a word '.repeat(10_000)
    await sendMessage({ ...app.host.app, redactor: stuck }, { id: session }, { message, agentOf: session })
    expect(await bodies()).toEqual([expect.stringMatching(/^a word .*\.\.\.$/)])
  })
})

describe('POST /sessions/:id/toggle_push_notifications', () => {
  const path = () => `/sessions/${session}/push_notifications`
  const toggle = (body: object) => app.post(`/sessions/${session}/toggle_push_notifications`, body)
  const isOn = async () => (await app.get(path())).body.push_notifications_enabled

  test('POST /sessions/:id/toggle_push_notifications turns pushes off and on, and flips the switch without a value', async () => {
    expect(await app.get(path())).toMatchObject({
      status: 200,
      body: { session_id: session, push_notifications_enabled: true },
    })
    for (const [body, expected] of [
      [{ enabled: false }, false],
      [{ enabled: 'off' }, false],
      [{}, true],
      [{}, false],
      [{ enabled: true }, true],
    ] as const) {
      expect((await toggle(body)).body).toEqual({
        session_id: session,
        push_notifications_enabled: expected,
      })
      expect(await isOn()).toBe(expected)
    }
  })

  test('every one of several flips at once takes effect', async () => {
    await Promise.all(Array.from({ length: 7 }, () => toggle({})))
    expect(await isOn()).toBe(false)
  })

  test('POST /sessions/:id/toggle_push_notifications rejects a value that is no boolean and an unknown session', async () => {
    const refused = await changesNothing(app.pool, () => toggle({ enabled: 'maybe' }))
    expectProblem(refused, 422, 'Validation failed', 'enabled must be a boolean')
    expectProblem(await app.post('/sessions/999999/toggle_push_notifications', {}), 404, 'Not Found')
    expectProblem(await app.get('/sessions/999999/push_notifications'), 404, 'Not Found')
  })
})

test('notifications are deleted with their session', async () => {
  await made('one')
  await app.post(`/sessions/${session}/toggle_push_notifications`, { enabled: false })
  expect((await app.delete(`/sessions/${session}`)).status).toBe(204)
  const { rows } = await app.pool.query(
    `select (select count(*) from notifications where session_id = $1)::int
       + (select count(*) from muted_sessions where session_id = $1)::int as count`,
    [session],
  )
  expect(rows).toEqual([{ count: 0 }])
})
