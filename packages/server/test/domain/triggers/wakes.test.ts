import { describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { deleteSpentTriggers } from '../../../src/domain/triggers/trigger-store.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = await triggerApp({ role: 'all' })
const { create, busy, rested, turns, logs, reaches, settled, say } = sessionHelpers(app)

const later = { scheduled_at: '2041-01-01T00:00:00' }
const soon = () => ({ scheduled_at: new Date(Date.now() + 1000).toISOString() })
const exists = async (id: number): Promise<boolean> => (await app.get(`/triggers/${id}`)).status === 200
const isGone = (id: number) =>
  eventually(
    () => exists(id),
    (is) => !is,
    30_000,
  )
const prompts = async (id: number): Promise<unknown[]> =>
  (await turns(id)).map(({ source, prompt }) => [source, prompt])

describe('arming a wake', () => {
  test('puts a resting session to sleep at once, and a running one when its turn ends', async () => {
    const resting = await rested()
    await armWake(app, resting, later)
    expect(await app.session(resting)).toMatchObject({ status: 'waiting' })
    const { id, release } = await busy()
    await armWake(app, id, later)
    expect(await app.session(id)).toMatchObject({ status: 'running', metadata: { pending_sleep: true } })
    await release()
    await settled(id)
    expect(await app.session(id)).toMatchObject({ status: 'waiting' })
    expect(await logs(id)).toContain('The turn ended; the session sleeps until it gets a prompt.')
  })

  test('clears the mark of a person who paused the session, which would keep the wake away', async () => {
    const id = await rested()
    await app.pool.query(`update sessions set metadata = metadata || '{"paused_by":"user"}' where id = $1`, [id])
    await armWake(app, id, later)
    expect((await app.session(id)).metadata).not.toHaveProperty('paused_by')
  })

  test('does nothing to a session that is failed, archived or disabled for', async () => {
    const id = await rested()
    await armWake(app, id, later, { status: 'disabled' })
    expect(await app.session(id)).toMatchObject({ status: 'needs_input' })
    await archiveSession(app.host.app, { id }, { force: false })
    await armWake(app, id, later)
    expect(await app.session(id)).toMatchObject({ status: 'archived' })
  })

  test('holds back the first turn of a session that has not started, until the wake fires', async () => {
    const answer = await app.patch('/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
    expect(answer.status).toBe(200)
    const { id: blocker, release } = await busy()
    const held = await create('say first')
    const wake = await armWake(app, held, later)
    await app.patch('/settings', { spot_gating_enabled: false })
    await release()
    await settled(blocker)
    // Admission has run since the slot is free: another session's turn went through.
    await reaches(await create('say other'), 'needs_input')
    expect(await turns(held)).toMatchObject([{ state: 'queued', source: 'create' }])
    expect((await app.delete(`/triggers/${wake}`)).status).toBe(204)
    await reaches(held, 'needs_input')
  })
})

describe('a wake at a time', () => {
  test('fires at its time, resumes the session, and removes itself and the other wakes of the session', async () => {
    const id = await rested()
    const failed = await armWake(app, id, later)
    await app.pool.query(`update triggers set status = 'failed', failed_at = now() where id = $1`, [failed])
    const sibling = await armWake(app, id, later)
    const other = await armWake(app, await rested(), later)
    const schedule = soon()
    const wake = await armWake(app, id, schedule)
    await isGone(wake)
    await eventually(
      () => prompts(id),
      (all) => all.length === 2,
    )
    expect(await prompts(id)).toEqual([
      ['create', 'say ready'],
      ['wake', 'say awake'],
    ])
    const [, turn] = await turns(id)
    const due = Math.floor(new Date(schedule.scheduled_at).getTime() / 1000) * 1000
    expect(Number(turn?.created_at)).toBeGreaterThanOrEqual(due)
    expect(await exists(sibling)).toBe(false)
    expect(await exists(failed)).toBe(true)
    expect(await exists(other)).toBe(true)
    await reaches(id, 'needs_input')
  })

  test('is queued for a session that runs, whatever enqueue_messages says', async () => {
    const { id, release } = await busy()
    const wake = await armWake(app, id, soon())
    await isGone(wake)
    const { body } = await app.get(`/sessions/${id}/enqueued_messages`)
    expect(body.enqueued_messages).toMatchObject([{ content: 'say awake', status: 'pending' }])
    await release()
    await eventually(
      () => prompts(id),
      (all) => all.length === 2,
      30_000,
    )
  })

  test('survives a follow-up, which answers with it on every path', async () => {
    const id = await rested()
    const wake = await armWake(app, id, later)
    const pending_wake = { at: '2041-01-01T00:00:00Z', preserved: true }
    const followUp = async (body: object) => (await app.post(`/sessions/${id}/follow_up`, body)).body
    expect(await followUp({ prompt: 'run sleep 1' })).toMatchObject({ pending_wake })
    expect(await followUp({ prompt: 'say queued' })).toMatchObject({ pending_wake, enqueued_message: {} })
    expect(await followUp({ prompt: 'say now', force_immediate: true })).toMatchObject({ pending_wake })
    expect(await exists(wake)).toBe(true)
    await settled(id)
    await app.delete(`/triggers/${wake}`)
    expect(await followUp({ prompt: 'say last' })).not.toHaveProperty('pending_wake')
  })

  test('whose session cannot be used is spent, says why, and is forgotten after a day', async () => {
    const id = await rested()
    const wake = await armWake(app, id, later)
    await archiveSession(app.host.app, { id }, { force: true })
    await app.pool.query('update trigger_conditions set next_run_at = now() where trigger_id = $1', [wake])
    await eventually(
      () => app.fires(wake),
      (fires) => fires.length === 1,
    )
    expect(await app.fires(wake)).toMatchObject([{ outcome: 'dropped', reason: `Session ${id} is archived.` }])
    await deleteSpentTriggers(app.host.app.db)
    expect(await exists(wake)).toBe(true)
    await app.pool.query(
      `update trigger_conditions set last_triggered_at = now() - interval '2 days' where trigger_id = $1`,
      [wake],
    )
    await deleteSpentTriggers(app.host.app.db)
    expect(await exists(wake)).toBe(false)
  })

  test('restores an archived session with resuscitate_archived', async () => {
    const id = await rested()
    const wake = await armWake(app, id, later, { resuscitate_archived: true })
    await archiveSession(app.host.app, { id }, { force: true })
    await app.pool.query('update trigger_conditions set next_run_at = now() where trigger_id = $1', [wake])
    await isGone(wake)
    await eventually(
      () => prompts(id),
      (all) => all.length === 2,
    )
    await reaches(id, 'needs_input')
  })
})

describe('while a wake is armed', () => {
  test('no heartbeat and no refresh starts the session', async () => {
    const id = await rested()
    await say(id, 'say more')
    await settled(id)
    await armWake(app, id, later)
    await say(id, 'say again')
    await settled(id)
    expect(await app.session(id)).toMatchObject({ status: 'needs_input' })
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    await eventually(
      async () => (await app.session(id)).metadata as Record<string, unknown>,
      (metadata) => metadata.heartbeat_last_beat_at !== undefined,
      30_000,
    )
    await app.post('/sessions/refresh_all')
    expect((await turns(id)).map(({ source }) => source)).toEqual(['create', 'follow_up', 'follow_up'])
  })
})
