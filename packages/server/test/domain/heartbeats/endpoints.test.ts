import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

/** Without a worker, which would send a heartbeat to the session of one test while another compares all rows. */
const app = testApp({ environment: { ROLE: 'web' } })
const change = (id: number, body: unknown) => app.patch(`/sessions/${id}/heartbeat`, body)
const resting = () => insertSession(app.pool, { status: 'needs_input' })

describe('PATCH /sessions/:id/heartbeat', () => {
  test('PATCH /sessions/:id/heartbeat changes enabled and interval_seconds independently of each other', async () => {
    const id = await resting()
    expect((await change(id, { enabled: true })).body).toMatchObject({
      heartbeat_enabled: true,
      heartbeat_interval_seconds: 60,
    })
    expect((await change(id, { interval_seconds: '30', enabled: null })).body).toMatchObject({
      session: { heartbeat_enabled: true, heartbeat_interval_seconds: 30 },
      heartbeat_enabled: true,
      heartbeat_interval_seconds: 30,
    })
    expect((await change(id, { enabled: 'off' })).body.heartbeat_enabled).toBe(false)
  })

  test('PATCH /sessions/:id/heartbeat accepts intervals from 30 to 86,400 seconds and rejects others with 422', async () => {
    const id = await resting()
    expect((await change(id, { interval_seconds: 86_400 })).status).toBe(200)
    const slow = await changesNothing(app.pool, () => change(id, { interval_seconds: 86_401 }))
    expectProblem(slow, 422, 'Validation failed', 'Heartbeat interval seconds must be less than or equal to 86400')
    const fast = await change(id, { interval_seconds: 29 })
    expectProblem(fast, 422, 'Validation failed', 'Heartbeat interval seconds must be greater than or equal to 30')
  })

  test.each([
    [{}, 'Missing parameter', 'Provide enabled and/or interval_seconds'],
    [{ enabled: null }, 'Missing parameter', 'Provide enabled and/or interval_seconds'],
    [{ enabled: '' }, 'Validation failed', 'enabled must be a boolean'],
    [{ enabled: [] }, 'Validation failed', 'enabled must be a boolean'],
    [{ interval_seconds: -5 }, 'Validation failed', 'interval_seconds must be an integer'],
    [{ interval_seconds: 45.5 }, 'Validation failed', 'interval_seconds must be an integer'],
    [{ enabled: true, interval_seconds: 'soon' }, 'Validation failed', 'interval_seconds must be an integer'],
  ])('PATCH /sessions/:id/heartbeat rejects %j with 422 and changes nothing', async (body, error, message) => {
    const id = await resting()
    expectProblem(await changesNothing(app.pool, () => change(id, body)), 422, error, message)
  })

  test('PATCH /sessions/:id/heartbeat answers 404 for an unknown session', async () => {
    expectProblem(await change(999_999, { enabled: true }), 404, 'Not Found')
  })
})
