import { describe, expect, test } from 'vitest'
import { sendHeartbeat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { findCandidates } from '../../../src/domain/inbox/inbox.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { byHand } from '../../support/triggers/by-hand.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const { tick } = byHand(app)

const later = { scheduled_at: '2041-01-01T00:00:00' }
const past = { scheduled_at: '2020-01-01T00:00:00' }
const resting = (columns = {}) => insertSession(app.pool, { status: 'needs_input', ...columns })
const exists = async (id: number): Promise<boolean> => (await app.get(`/triggers/${id}`)).status === 200
const turnsOf = async (id: number): Promise<unknown[]> =>
  (await app.pool.query('select source, prompt from turns where session_id = $1 order by sequence', [id])).rows
const makeDue = (trigger: number) =>
  app.pool.query(
    `update trigger_conditions set next_run_at = date_trunc('milliseconds', now()) where trigger_id = $1`,
    [trigger],
  )

describe('arming a wake', () => {
  test('puts a resting session to sleep at once, and marks a running one to sleep when its turn ends', async () => {
    const [idle, running] = [await resting(), await insertRunningSession(app.pool)]
    await armWake(app, idle, later)
    await armWake(app, running, later)
    expect(await app.session(idle)).toMatchObject({ status: 'waiting' })
    expect(await app.session(running)).toMatchObject({ status: 'running', metadata: { pending_sleep: true } })
  })

  test('clears the mark of a person who paused the session, which would keep the wake away', async () => {
    const id = await resting({ metadata: { paused_by: 'user' } })
    await armWake(app, id, later)
    expect((await app.session(id)).metadata).not.toHaveProperty('paused_by')
  })

  test.each(['waiting', 'failed', 'archived'])('leaves a session alone that is %s', async (status) => {
    const id = await resting()
    await app.setStatus(id, status)
    await armWake(app, id, later)
    expect(await app.session(id)).toMatchObject({ status })
  })

  test('that is disabled, or a recurring schedule, puts nothing to sleep', async () => {
    const id = await resting()
    await armWake(app, id, later, { status: 'disabled' })
    await app.trigger({ reuse_session: true, last_session_id: id })
    expect(await app.session(id)).toMatchObject({ status: 'needs_input' })
  })
})

describe('a wake at a time', () => {
  test('resumes the session, and removes itself and the other wakes of the session that have not failed', async () => {
    const id = await resting()
    const failed = await armWake(app, id, later)
    await app.pool.query(`update triggers set status = 'failed', failed_at = now() where id = $1`, [failed])
    const recurring = await app.trigger({ reuse_session: true, last_session_id: id })
    const [sibling, other] = [await armWake(app, id, later), await armWake(app, await resting(), later)]
    const wake = await armWake(app, id, past)
    await tick()
    expect(await turnsOf(id)).toEqual([{ source: 'wake', prompt: 'say awake' }])
    const left = await Promise.all([wake, sibling, failed, other, recurring].map(exists))
    expect(left).toEqual([false, false, true, true, true])
  })

  test('fires once when ten hosts look at the same moment', async () => {
    const id = await resting()
    await armWake(app, id, past)
    await Promise.all(Array.from({ length: 10 }, tick))
    expect(await turnsOf(id)).toHaveLength(1)
  })

  test('of several that are due together for one session, each is delivered or removed, and one turn starts', async () => {
    const id = await resting()
    const wakes = await Promise.all(Array.from({ length: 5 }, () => armWake(app, id, past)))
    await Promise.all(Array.from({ length: 5 }, tick))
    expect(await Promise.all(wakes.map(exists))).toEqual([false, false, false, false, false])
    expect((await turnsOf(id)).length).toBe(1)
  })

  test('is queued for a session that runs, whatever enqueue_messages says', async () => {
    const id = await insertRunningSession(app.pool)
    const wake = await armWake(app, id, past)
    await tick()
    expect(await exists(wake)).toBe(false)
    const { body } = await app.get(`/sessions/${id}/enqueued_messages`)
    expect(body.enqueued_messages).toMatchObject([{ content: 'say awake', status: 'pending' }])
  })

  test('survives a follow-up and a restart; all three answers of a follow-up name it', async () => {
    const id = await resting()
    const wake = await armWake(app, id, later)
    const pending_wake = { at: '2041-01-01T00:00:00Z', preserved: true }
    const followUp = (target: number, body: object) => app.post(`/sessions/${target}/follow_up`, body)
    expect(await followUp(id, { prompt: 'say one' })).toMatchObject({ status: 200, body: { pending_wake } })
    const queued = await followUp(id, { prompt: 'say two' })
    expect(queued).toMatchObject({ status: 202, body: { pending_wake, enqueued_message: {} } })
    const immediate = await followUp(id, { prompt: 'say three', force_immediate: true })
    expect(immediate).toMatchObject({ status: 200, body: { pending_wake } })
    expect((await app.post(`/sessions/${id}/restart`)).status).toBe(200)
    expect(await app.show(wake)).toMatchObject({ status: 'enabled', conditions: [{ last_triggered_at: null }] })
    await app.delete(`/triggers/${wake}`)
    expect((await followUp(id, { prompt: 'say four' })).body).not.toHaveProperty('pending_wake')
  })

  test('is no pending wake while its trigger is disabled, has failed or is spent', async () => {
    const id = await resting()
    const wake = await armWake(app, id, later)
    const pending = async () => (await app.post(`/sessions/${id}/follow_up`, { prompt: 'say' })).body.pending_wake
    expect(await pending()).toBeDefined()
    await app.post(`/triggers/${wake}/toggle`)
    expect(await pending()).toBeUndefined()
    await app.pool.query(`update triggers set status = 'enabled' where id = $1`, [wake])
    await app.pool.query(`update trigger_conditions set last_triggered_at = now() where trigger_id = $1`, [wake])
    expect(await pending()).toBeUndefined()
  })

  test('whose session cannot be used is spent, says why, and is forgotten after a day', async () => {
    const id = await resting()
    const wake = await armWake(app, id, later)
    await archiveSession(app.host.app, { id }, { force: true })
    await makeDue(wake)
    await tick()
    await tick()
    expect(await app.fires(wake)).toMatchObject([
      { outcome: 'dropped', reason: `Session ${id} is archived.`, times: 1 },
    ])
    await runPeriodic(app.host.app, 'forget_spent_triggers')
    expect(await exists(wake)).toBe(true)
    await app.pool.query(
      `update trigger_conditions set last_triggered_at = now() - interval '2 days' where trigger_id = $1`,
      [wake],
    )
    await runPeriodic(app.host.app, 'forget_spent_triggers')
    expect(await exists(wake)).toBe(false)
  })

  test('does not restore an archived session that never started', async () => {
    const id = await resting()
    const wake = await armWake(app, id, later, { resuscitate_archived: true })
    await archiveSession(app.host.app, { id }, { force: true })
    await makeDue(wake)
    await tick()
    expect(await app.session(id)).toMatchObject({ status: 'archived' })
    expect(await app.fires(wake)).toMatchObject([{ outcome: 'dropped' }])
  })
})

describe('while a wake is armed', () => {
  test('no heartbeat and no refresh starts the session', async () => {
    const id = await resting({ heartbeat_enabled: true })
    const wake = await armWake(app, id, later)
    await app.setStatus(id, 'needs_input')
    expect(await sendHeartbeat(app.host.app, id)).toBe(false)
    await app.post('/sessions/refresh_all')
    expect(await turnsOf(id)).toEqual([])
    await app.delete(`/triggers/${wake}`)
    await app.pool.query(`update sessions set metadata = metadata - 'heartbeat_last_beat_at' where id = $1`, [id])
    expect(await sendHeartbeat(app.host.app, id)).toBe(true)
  })

  test('the first turn of a session is held back until the wake has fired, and then both prompts run in order', async () => {
    const spawn = await app.post('/sessions', { agent_root: 'lab', prompt: 'say first' })
    const { id } = spawn.body.session
    const candidates = async () => (await findCandidates(app.host.app.db, { api: 'spot' }, id)).length
    expect(await candidates()).toBe(1)
    const wake = await armWake(app, id, later)
    expect(await candidates()).toBe(0)
    await makeDue(wake)
    await tick()
    expect(await candidates()).toBe(1)
    const { body } = await app.get(`/sessions/${id}/enqueued_messages`)
    expect(body.enqueued_messages).toMatchObject([{ content: 'say awake' }])
  })
})
