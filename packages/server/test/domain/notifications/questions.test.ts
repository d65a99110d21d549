import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { followElicitations } from '../../../src/domain/notifications/follow-elicitations.ts'
import { followSessions } from '../../../src/domain/notifications/follow-sessions.ts'
import { notifications } from '../../../src/domain/notifications/room.ts'
import { sendPush } from '../../../src/domain/notifications/send-push.ts'
import { testApp } from '../../support/app/app.ts'
import { startPushService } from '../../support/remote/push-service.ts'
import { asker, question } from '../../support/sessions/asking.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { byHand } from '../../support/triggers/by-hand.ts'

const service = await startPushService()
afterAll(() => service.close())
const app = testApp({ environment: { ROLE: 'web', ...service.environment } })
const { running, asked, respond, rowOf } = asker(app)
const ofQuestions = byHand(app, { subscription: followElicitations, handlers: [sendPush] })
const ofSessions = byHand(app, { subscription: followSessions, handlers: [] })
const work = async () => {
  await ofQuestions.work()
  await ofSessions.work()
}
const listed = async (): Promise<Record<string, unknown>[]> => (await app.get('/notifications')).body.notifications

beforeEach(async () => {
  await work()
  await app.pool.query('delete from notifications')
})

describe('a question of a session', () => {
  test('a question reaches the list with its first 150 characters, and every browser by a push', async () => {
    expect(notifications.subscriptions).toContain(followElicitations)
    const browser = service.browser()
    expect((await app.post('/push_subscriptions', browser.subscription)).status).toBe(201)
    const { id, token } = await running({ title: 'Fix login' })
    await asked(token, { message: `May I?\n${'x'.repeat(500)}` })
    await work()
    const [notification] = await listed()
    expect(notification).toMatchObject({
      session_id: id,
      notification_type: 'elicitation_pending',
      title: 'Fix login',
      body: expect.stringMatching(/^May I\? x+\.\.\.$/),
    })
    expect(notification?.body).toHaveLength(150)
    expect(browser.pushes()).toMatchObject([
      { notification_type: 'elicitation_pending', body: `Session ${id} asks you something` },
    ])
  })

  test('each question of a session is a notification of its own, also with the same words, and stays until it is closed', async () => {
    const { id, token } = await running()
    const [first, second] = [await asked(token), await asked(token)]
    await work()
    expect(await listed()).toHaveLength(2)
    await respond(first, 'accept')
    await work()
    const [left] = await listed()
    const { rows } = await app.pool.query('select marker from notifications where id = $1', [left?.id])
    expect(rows).toEqual([{ marker: `elicitation:${(await rowOf(second)).id}` }])
    await app.post(`/sessions/${id}/archive`)
    await work()
    expect(await listed()).toEqual([])
  })

  test('a question is still listed after a follow-up, which does not answer it', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input' })
    await app.post('/elicitations', question('still-open', { meta: { 'com.acme/session-id': id } }))
    await work()
    expect((await app.post(`/sessions/${id}/follow_up`, { prompt: 'say hi' })).status).toBe(200)
    await work()
    expect(await listed()).toMatchObject([{ notification_type: 'elicitation_pending' }])
  })

  test('a question that was closed before its event was handled is not announced', async () => {
    const { token } = await running()
    await respond(await asked(token), 'decline')
    await work()
    expect(await listed()).toEqual([])
  })
})
