import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { followOperations } from '../../../src/domain/notifications/follow-operations.ts'
import { followSessions } from '../../../src/domain/notifications/follow-sessions.ts'
import { sendAlert, sendPush } from '../../../src/domain/notifications/send-push.ts'
import { sendAlertJob } from '../../../src/domain/notifications/send-push-job.ts'
import { warnOfOtherKeys } from '../../../src/domain/notifications/warn-of-other-keys.ts'
import { healthChanged } from '../../../src/domain/queues/events.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { haltedQueues } from '../../../src/platform/jobs/queues.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { startPushService } from '../../support/remote/push-service.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { byHand } from '../../support/triggers/by-hand.ts'

const service = await startPushService()
afterAll(() => service.close())
const app = testApp({ environment: { ROLE: 'web', ...service.environment } })
const { work, waiting, pass } = byHand(app, { subscription: followSessions, handlers: [sendPush, sendAlert] })
const alerts = byHand(app, { subscription: followOperations, handlers: [] })

const subscribe = (body: unknown) => app.post('/push_subscriptions', body)
const subscribed = async () => {
  const browser = service.browser()
  const { status, body } = await subscribe(browser.subscription)
  expect(status).toBe(201)
  return { ...browser, id: Number(body.id) }
}
const subscriptionIds = async () =>
  (await app.pool.query('select id::int from push_subscriptions order by id')).rows.map(({ id }) => id)
const say = async (message: string, columns = {}) => {
  const session = await insertSession(app.pool, { title: 'A secret project', ...columns })
  await app.post('/notifications/push', { session_id: session, message })
  return session
}

beforeEach(async () => {
  await work()
  await app.pool.query('delete from push_subscriptions')
  await app.pool.query('delete from notifications')
})

describe('POST /push_subscriptions', () => {
  test('POST /push_subscriptions answers 201 for a new browser and 200 for one that subscribes again', async () => {
    const { subscription } = service.browser()
    const first = await subscribe({ ...subscription, user_agent: 'A browser' })
    expect(first).toMatchObject({ status: 201 })
    expect(first.body).toEqual({
      id: expect.any(Number),
      endpoint: subscription.endpoint,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const other = service.browser().subscription
    const again = await subscribe({ ...other, endpoint: subscription.endpoint })
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } })
    const { rows } = await app.pool.query('select auth_key, p256dh_key, user_agent from push_subscriptions')
    expect(rows).toEqual([{ auth_key: other.auth_key, p256dh_key: other.p256dh_key, user_agent: null }])
  })

  test('a browser that subscribes several times at once is one subscription', async () => {
    const { subscription } = service.browser()
    const answers = await Promise.all(Array.from({ length: 8 }, () => subscribe(subscription)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await subscriptionIds()).toHaveLength(1)
  })

  const good = service.browser().subscription
  test.each<[string, Record<string, unknown>]>([
    ['no endpoint', { endpoint: undefined }],
    ['an endpoint that is no text', { endpoint: { href: 'https://push.example' } }],
    ['an http endpoint', { endpoint: 'http://push.example/x' }],
    ['a file', { endpoint: 'file:///etc/passwd' }],
    ['a private address', { endpoint: 'https://169.254.169.254/x' }],
    ['a loopback address in disguise', { endpoint: 'https://[::ffff:127.0.0.1]/x' }],
    ['another port of an allowed host', { endpoint: 'http://127.0.0.1:1/x' }],
    ['an endpoint with a password', { endpoint: 'https://a:b@push.example/x' }],
    ['an endpoint with a line break', { endpoint: 'https://push.example/\r\nHost: x' }],
    ['an endpoint of 2,049 characters', { endpoint: `https://push.example/${'x'.repeat(2028)}` }],
    ['no public key', { p256dh_key: undefined }],
    ['a public key that is too short', { p256dh_key: 'BAAA' }],
    ['a public key that is no point of the curve', { p256dh_key: Buffer.alloc(65, 4).toString('base64url') }],
    ['a secret that is too long', { auth_key: Buffer.alloc(17).toString('base64url') }],
    ['a secret that is no base64', { auth_key: '!'.repeat(22) }],
    ['a list as user agent', { user_agent: ['x'] }],
    ['a user agent of 501 characters', { user_agent: 'x'.repeat(501) }],
  ])('POST /push_subscriptions rejects %s with 422 and changes nothing', async (_about, change) => {
    expectProblem(await changesNothing(app.pool, () => subscribe({ ...good, ...change })), 422, 'Validation failed')
  })

  test('POST /push_subscriptions keeps the hundred browsers that subscribed last', async () => {
    await app.pool.query(
      `insert into push_subscriptions (endpoint, p256dh_key, auth_key, server_key, updated_at)
       select 'https://push.example/' || n, 'k', 'a', 's', now() - n * interval '1 minute' from generate_series(1, 100) n`,
    )
    await subscribed()
    const { rows } = await app.pool.query(
      "select count(*)::int, bool_or(endpoint = 'https://push.example/100') as is_oldest_kept from push_subscriptions",
    )
    expect(rows).toEqual([{ count: 100, is_oldest_kept: false }])
  })

  test('POST /push_subscriptions keeps the browser that has just subscribed also when the clock was set back', async () => {
    await app.pool.query(
      `insert into push_subscriptions (endpoint, p256dh_key, auth_key, server_key, updated_at)
       select 'https://push.example/' || n, 'k', 'a', 's', now() + n * interval '1 day' from generate_series(1, 100) n`,
    )
    const { id } = await subscribed()
    const ids = await subscriptionIds()
    expect(ids).toHaveLength(100)
    expect(ids).toContain(id)
    const { rows } = await app.pool.query("select from push_subscriptions where endpoint = 'https://push.example/1'")
    expect(rows).toEqual([])
  })

  test('GET /push_subscriptions lists the browsers, the latest first, without what identifies them to their service', async () => {
    const first = service.browser().subscription
    await subscribe({ ...first, user_agent: 'A browser' })
    await app.pool.query("update push_subscriptions set server_key = 'another', updated_at = now() - interval '1 day'")
    const { id } = await subscribed()
    const { body } = await app.get('/push_subscriptions?per_page=10')
    const times = { created_at: expect.any(String), updated_at: expect.any(String) }
    expect(body.push_subscriptions).toEqual([
      { id, service: service.origin, user_agent: null, receives_pushes: true, refusals: 0, ...times },
      {
        id: expect.any(Number),
        service: service.origin,
        user_agent: 'A browser',
        receives_pushes: false,
        refusals: 0,
        ...times,
      },
    ])
    expect(body.pagination).toMatchObject({ total_count: 2 })
    for (const secret of [first.endpoint, first.auth_key, first.p256dh_key])
      expect(JSON.stringify(body)).not.toContain(secret)
  })

  test('DELETE /push_subscriptions/:id answers 204, then 404', async () => {
    const { id } = await subscribed()
    expect((await app.delete(`/push_subscriptions/${id}`)).status).toBe(204)
    expectProblem(await app.delete(`/push_subscriptions/${id}`), 404, 'Not Found')
  })

  test('GET /push_subscriptions/key shows the public key; the private one is in the home, for its owner only', async () => {
    const { public_key: key } = (await app.get('/push_subscriptions/key')).body
    expect(Buffer.from(key, 'base64url')).toHaveLength(65)
    expect((await stat(join(app.home, 'vapid-key'))).mode & 0o777).toBe(0o600)
  })
})

describe('a push about a notification', () => {
  test('reaches every browser once, links to the session and carries nothing that was said in it', async () => {
    const [one, other] = [await subscribed(), await subscribed()]
    const session = await say('The password is hunter2')
    await work()
    await work()
    const { rows } = await app.pool.query('select max(id)::int as id from notifications')
    for (const browser of [one, other])
      expect(browser.pushes()).toEqual([
        {
          notification_id: rows[0].id,
          notification_type: 'custom_message',
          title: 'Yardmaster',
          body: `Session ${session} has a message for you`,
          url: `/sessions/${session}`,
          tag: `notification-${rows[0].id}`,
        },
      ])
    const wire = JSON.stringify(one.pushes())
    for (const word of ['hunter2', 'secret project']) expect(wire).not.toContain(word)
  })

  test.each([
    ['account_needs_reauth', '/inference'],
    ['budget_warning', '/costs'],
    ['budget_exhausted', '/costs'],
  ])('about %s links to %s, as the notification does, and carries nothing that was said', async (type, url) => {
    const browser = await subscribed()
    const session = await say('The password is hunter2')
    await app.pool.query('update notifications set notification_type = $1 where session_id = $2', [type, session])
    await work()
    expect(browser.pushes()).toMatchObject([{ notification_type: type, url }])
    expect(JSON.stringify(browser.pushes())).not.toMatch(/hunter2|secret project/)
    expect((await app.get('/notifications')).body.notifications).toMatchObject([{ notification_type: type, url }])
  })

  test('is not sent while the session is muted; the notification is made', async () => {
    const browser = await subscribed()
    const session = await insertSession(app.pool)
    const send = (message: string) => app.post('/notifications/push', { session_id: session, message })
    await send('one')
    await app.post(`/sessions/${session}/toggle_push_notifications`, { enabled: false })
    await send('two')
    await work()
    expect(browser.pushes()).toEqual([])
    expect((await app.get('/notifications/badge')).body.pending_count).toBe(2)
    await app.post(`/sessions/${session}/toggle_push_notifications`, { enabled: true })
    await send('three')
    await work()
    expect(browser.pushes()).toHaveLength(1)
  })

  test.each([
    ['was read', 'read = true'],
    ['became stale', 'stale = true'],
    ['is a day old', "created_at = now() - interval '25 hours'"],
  ])('is not sent any more when the notification %s meanwhile', async (_about, change) => {
    const browser = await subscribed()
    await say('x')
    await app.pool.query(`update notifications set ${change}`)
    await work()
    expect(browser.pushes()).toEqual([])
  })

  test('that its service answers with 410 removes the subscription, and no other', async () => {
    const [gone, kept] = [await subscribed(), await subscribed()]
    await say('x')
    service.decide(() => 410)
    await sendPush.perform({ notificationId: await lastNotification(), subscriptionId: gone.id }, app.host.app)
    service.decide(() => 201)
    expect(await subscriptionIds()).toEqual([kept.id])
    await work()
    expect(kept.pushes()).toHaveLength(1)
  })

  test('that fails is left to the next attempt of its job; one that is refused is not repeated', async () => {
    const { id: subscriptionId } = await subscribed()
    await say('x')
    const attempt = async () =>
      sendPush.perform({ notificationId: await lastNotification(), subscriptionId }, app.host.app)
    for (const answer of [500, 429, 'cut'] as const) {
      service.next(answer)
      await expect(attempt()).rejects.toThrow('push service')
    }
    for (const answer of [400, 403, 'redirect'] as const) {
      service.next(answer)
      await attempt()
    }
    expect(await subscriptionIds()).toEqual([subscriptionId])
  })

  test('that its service refuses for a week, twenty times in a row, removes the subscription with a line in the log', async () => {
    const { id: subscriptionId } = await subscribed()
    await say('x')
    const { log, records } = recordedLog('warn')
    const attempt = async (answer: number) => {
      service.next(answer)
      const job = { notificationId: await lastNotification(), subscriptionId }
      await sendPush.perform(job, { ...app.host.app, log })
    }
    const refused = async () =>
      (await app.pool.query('select refusals, refused_since is null as is_well from push_subscriptions')).rows
    await app.pool.query("update push_subscriptions set refusals = 30, refused_since = now() - interval '8 days'")
    await attempt(201)
    expect(await refused()).toEqual([{ refusals: 0, is_well: true }])
    await app.pool.query("update push_subscriptions set refusals = 18, refused_since = now() - interval '8 days'")
    await attempt(403)
    await app.pool.query('update push_subscriptions set refused_since = now()')
    await attempt(400)
    expect(await refused()).toEqual([{ refusals: 20, is_well: false }])
    await app.pool.query("update push_subscriptions set refused_since = now() - interval '8 days'")
    await attempt(401)
    expect(await subscriptionIds()).toEqual([])
    expect(records().at(-1)).toMatchObject({
      subscription: subscriptionId,
      service: service.origin,
      msg: 'a browser was removed: its push service has refused every push',
    })
  })

  test('that was refused counts from zero again when the browser subscribes again', async () => {
    const browser = await subscribed()
    await app.pool.query('update push_subscriptions set refusals = 19, refused_since = now()')
    await subscribe(browser.subscription)
    expect((await app.get('/push_subscriptions')).body.push_subscriptions).toMatchObject([{ refusals: 0 }])
  })

  test.each([
    [429, '120', 120],
    [503, '120', 120],
    [429, '0', 5],
    [429, '999999', 3600],
  ])(
    'that its service answers with %i and Retry-After %s is sent once more after %i seconds',
    async (status, retryAfter, seconds) => {
      const browser = await subscribed()
      await say('x')
      service.next({ status, retryAfter })
      await work()
      expect(browser.pushes()).toEqual([])
      expect(await waiting()).toEqual([seconds])
      await pass(seconds)
      await work()
      expect(browser.pushes()).toHaveLength(1)
      expect(await waiting()).toEqual([])
    },
  )

  test('takes the pauses of its own attempts when its service has asked for 24', async () => {
    const { id: subscriptionId } = await subscribed()
    await say('x')
    service.next({ status: 429, retryAfter: '60' })
    const job = { notificationId: await lastNotification(), subscriptionId, pauses: 24 }
    await expect(sendPush.perform(job, app.host.app)).rejects.toThrow('answered 429')
  })

  test('is not made for a browser that subscribed with another key, and one with a key of another host is left to that host', async () => {
    const browser = await subscribed()
    await app.pool.query("update push_subscriptions set server_key = 'another'")
    await say('x')
    await work()
    expect(browser.pushes()).toEqual([])
    const job = { notificationId: await lastNotification(), subscriptionId: browser.id }
    await expect(sendPush.perform(job, app.host.app)).rejects.toThrow('VAPID key of another host')
    const lines: unknown[] = []
    const log = { ...app.host.app.log, warn: (about: unknown) => lines.push(about) } as typeof app.host.app.log
    await warnOfOtherKeys({ ...app.host.app, log })
    expect(lines).toEqual([{ count: 1 }])
  })

  test('is sent by the age that the database gives the notification, whatever the clock of the host says', async () => {
    const browser = await subscribed()
    await say('x')
    const job = { notificationId: await lastNotification(), subscriptionId: browser.id }
    const clock = { ...app.host.app.clock, now: () => new Date(Date.now() + 48 * 3_600_000) }
    await sendPush.perform(job, { ...app.host.app, clock })
    expect(browser.pushes()).toHaveLength(1)
  })

  async function lastNotification(): Promise<number> {
    return (await app.pool.query('select max(id)::int as id from notifications')).rows[0].id
  }
})

describe('an operation on the queues', () => {
  test('every browser is told at once when recovery mode is entered, extended and left, by a queue that it leaves running', async () => {
    expect(
      [followOperations.queue, sendAlertJob.queue].map((queue) => haltedQueues.some((halted) => halted === queue)),
    ).toEqual([false, false])
    const browsers = [await subscribed(), await subscribed()]
    await app.post('/health/enter_queue_recovery_mode', { reason: 'A secret project floods us' })
    await app.post('/health/enter_queue_recovery_mode')
    await app.post('/health/exit_queue_recovery_mode')
    await app.post('/health/exit_queue_recovery_mode')
    await alerts.work()
    await work()
    for (const browser of browsers) {
      const sent = browser.pushes()
      expect(sent.map(({ body }) => body).toSorted()).toEqual([
        'Queue recovery mode is off: all queues run again',
        'Queue recovery mode is on: only turns run',
        'Queue recovery mode was extended: only turns run',
      ])
      expect(sent[0]).toMatchObject({
        title: 'Yardmaster',
        url: '/health-report',
        tag: expect.stringMatching(/^operations-/),
      })
    }
  })

  test('every browser is told when queued jobs are discarded or moved, and not when none were', async () => {
    const { pushes } = await subscribed()
    const change = (action: string, count: number) =>
      app.post(`/health/${action}_queued_jobs`, { job_class: 'look_at_clis', expected_count: count })
    await app.pool.query("select graphile_worker.add_job('look_at_clis', '{}') from generate_series(1, 2)")
    for (const [action, count] of [
      ['reschedule', 2],
      ['discard', 2],
      ['discard', 0],
    ] as const)
      expect((await change(action, count)).status).toBe(200)
    await alerts.work()
    await work()
    expect(
      pushes()
        .map(({ body }) => body)
        .toSorted(),
    ).toEqual(['2 queued jobs were discarded', '2 queued jobs were moved to another time'])
  })

  test('every browser is told when the service itself is critical, and when that is over', async () => {
    const { pushes } = await subscribed()
    const about = { part: 'system_health', message: 'Jobs are due, and none has ended for 10 minutes' } as const
    const { db, events } = app.host.app
    for (const change of ['critical', 'recovered'] as const)
      await transact(db, (tx) => events.publish(tx, healthChanged, { payload: { ...about, change } }))
    await alerts.work()
    await work()
    expect(
      pushes()
        .map(({ body }) => body)
        .toSorted(),
    ).toEqual([`Critical: ${about.message}`, `No longer critical: ${about.message}`])
  })
})
