import { describe, expect, test } from 'vitest'
import { fireDueSchedules } from '../../../src/domain/fires/fire-due-schedules.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { daily, triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const signal = new AbortController().signal

const hourly = { condition_type: 'schedule', configuration: { unit: 'hours', interval: 1 } }
const once = (scheduled_at: string, timezone = 'UTC') => ({
  condition_type: 'schedule',
  configuration: { scheduled_at, timezone },
})
const past = once('2020-01-01T00:00:00')

/** Looks at the schedules as the host's timer does. */
const tick = async () => {
  await fireDueSchedules(app.host.app, signal)
}
/** Makes every schedule of the trigger due so many seconds ago. */
const makeDue = (id: number, secondsAgo: number) =>
  app.pool.query(
    `update trigger_conditions
     set next_run_at = date_trunc('milliseconds', now() - make_interval(secs => $2))
     where trigger_id = $1`,
    [id, secondsAgo],
  )
const spawned = async (id: number): Promise<Record<string, unknown>[]> =>
  (await app.get(`/triggers/${id}`)).body.recent_sessions
const nextRun = async (id: number): Promise<Date> =>
  (await app.pool.query('select next_run_at from trigger_conditions where trigger_id = $1', [id])).rows[0].next_run_at

describe('a schedule', () => {
  test('of hours fires at once and then waits for its next slot', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly], scheduling_class: 'priority' })
    await tick()
    const [session] = await spawned(id)
    expect(await app.session(Number(session?.id))).toMatchObject({ genesis: 'schedule', scheduling_class: 'priority' })
    await tick()
    expect(await spawned(id)).toHaveLength(1)
    expect((await nextRun(id)).getTime()).toBeGreaterThan(Date.now() + 3_500_000)
    expect(await app.fires(id)).toMatchObject([{ fired_by: 'schedule', outcome: 'spawned', reason: null }])
    expect(await app.show(id)).toMatchObject({ last_triggered_at: expect.any(String), sessions_created_count: 1 })
  })

  test('fires each slot once when ten hosts look at the same moment', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => app.trigger({ trigger_conditions_attributes: [hourly] })),
    )
    await Promise.all(Array.from({ length: 10 }, tick))
    for (const id of ids) expect(await spawned(id)).toHaveLength(1)
  })

  test('of days waits for its first slot, also when it is enabled again', async () => {
    const id = await app.trigger()
    const slot = await nextRun(id)
    await app.post(`/triggers/${id}/toggle`)
    await makeDue(id, 60)
    await app.pool.query('update trigger_conditions set next_run_at = null where trigger_id = $1', [id])
    await app.post(`/triggers/${id}/toggle`)
    expect(await nextRun(id)).toEqual(slot)
    await tick()
    expect(await spawned(id)).toEqual([])
  })

  test('of hours that is enabled again does not fire before its interval has passed', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly] })
    await tick()
    await app.post(`/triggers/${id}/toggle`)
    await app.post(`/triggers/${id}/toggle`)
    await tick()
    expect(await spawned(id)).toHaveLength(1)
    expect((await nextRun(id)).getTime()).toBeGreaterThan(Date.now() + 3_500_000)
  })

  test('that was missed while no host was up fires once, late, and says so', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [daily] })
    await app.pool.query(`update trigger_conditions set armed_at = now() - interval '10 days' where trigger_id = $1`, [
      id,
    ])
    await makeDue(id, 4 * 86_400 + 7200)
    await tick()
    await tick()
    expect(await spawned(id)).toHaveLength(1)
    const [fire, ...others] = await app.fires(id)
    expect(others).toEqual([])
    expect(fire).toMatchObject({ outcome: 'spawned', scheduled_for: expect.any(String) })
    expect(fire?.reason).toMatch(/^Late by 3528\d\d s: no host was there to fire it at its time\./)
    expect((await nextRun(id)).getTime()).toBeGreaterThan(Date.now())
  })

  test('of a disabled trigger does not fire', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly], status: 'disabled' })
    await tick()
    expect(await spawned(id)).toEqual([])
  })

  test('that cannot fire goes on with its next slot and keeps the reason in its history', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly], agent_root_name: 'nowhere' })
    await tick()
    expect(await app.show(id)).toMatchObject({ status: 'enabled', last_error: null })
    expect(await app.fires(id)).toMatchObject([
      { outcome: 'failed', reason: 'No agent root named "nowhere" is in the catalog' },
    ])
    expect((await nextRun(id)).getTime()).toBeGreaterThan(Date.now())
  })

  test('that is skipped because a session is pending uses up its slot', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly], skip_if_pending_session: true })
    await tick()
    await makeDue(id, 1)
    await tick()
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual(['skipped', 'spawned'])
    expect((await nextRun(id)).getTime()).toBeGreaterThan(Date.now())
  })

  test('that a burst suppresses stays due until the burst is over', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [hourly], max_sessions_per_minute: 1 })
    for (let n = 0; n < 3; n += 1) await app.invoke(id)
    const { burst_ends_at: endsAt } = await app.show(id)
    await tick()
    await tick()
    expect((await app.fires(id))[0]).toMatchObject({ fired_by: 'schedule', outcome: 'suppressed', times: 1 })
    expect((await nextRun(id)).getTime() - new Date(String(endsAt)).getTime()).toBeGreaterThanOrEqual(0)
    await app.patch(`/triggers/${id}`, { max_sessions_per_minute: null })
    await makeDue(id, 0)
    await tick()
    expect((await app.fires(id))[0]).toMatchObject({ fired_by: 'schedule', outcome: 'spawned' })
  })
})

describe('a recurring schedule that re-uses a session', () => {
  const reusing = (last_session_id: number, more = {}) =>
    app.trigger({
      trigger_conditions_attributes: [hourly],
      prompt_template: 'say tick',
      reuse_session: true,
      last_session_id,
      ...more,
    })

  test('counts the runs that did not happen because the last prompt still waits, until one lands', async () => {
    const target = await insertRunningSession(app.pool)
    const id = await reusing(target, { enqueue_messages: true })
    await tick()
    expect(await app.show(id)).toMatchObject({ missed_fire_count: 0, first_missed_fire_at: null })
    for (let n = 0; n < 2; n += 1) {
      await makeDue(id, 1)
      await tick()
    }
    const missed = await app.show(id)
    expect(missed).toMatchObject({ missed_fire_count: 2, first_missed_fire_at: expect.any(String) })
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual(['coalesced', 'coalesced', 'queued'])
    const { body } = await app.get(`/sessions/${target}/enqueued_messages`)
    expect(body.enqueued_messages).toHaveLength(1)
    await app.pool.query(`update enqueued_messages set status = 'sent' where session_id = $1`, [target])
    await makeDue(id, 1)
    await tick()
    expect(await app.show(id)).toMatchObject({ missed_fire_count: 0, first_missed_fire_at: null })
  })

  test('alerts once in the log of the session when its prompt has waited for an hour and two runs were missed', async () => {
    const alerts = async (session: number) =>
      (await app.get(`/sessions/${session}/logs?level=warning`)).body.logs.map(
        ({ content }: { content: string }) => content,
      )
    const miss = async (id: number) => {
      await makeDue(id, 1)
      await tick()
    }
    const target = await insertRunningSession(app.pool)
    const id = await reusing(target, { enqueue_messages: true })
    await tick()
    for (let n = 0; n < 3; n += 1) await miss(id)
    expect(await alerts(target)).toEqual([])

    const old = await insertRunningSession(app.pool)
    const stuck = await reusing(old, { enqueue_messages: true })
    await tick()
    await app.pool.query(
      `update enqueued_messages set created_at = created_at - interval '61 minutes' where session_id = $1`,
      [old],
    )
    await miss(stuck)
    expect(await alerts(old)).toEqual([])
    for (let n = 0; n < 3; n += 1) await miss(stuck)
    expect(await alerts(old)).toEqual([
      `The prompt of trigger ${stuck} (Sweep) has waited for over an hour, and 2 further runs were missed.`,
    ])
  })

  test('drops its prompt while the session runs and does not queue', async () => {
    const id = await reusing(await insertRunningSession(app.pool))
    await tick()
    expect(await app.fires(id)).toMatchObject([{ outcome: 'dropped', reason: expect.stringContaining('is running') }])
    expect(await app.show(id)).toMatchObject({ missed_fire_count: 0 })
  })
})

describe('a one-time schedule', () => {
  test('in the past fires as soon as possible, and the trigger is deleted', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [past] })
    await tick()
    expect((await app.get(`/triggers/${id}`)).status).toBe(404)
    const { rows } = await app.pool.query(`select genesis from sessions where metadata ->> 'trigger_id' = $1`, [
      String(id),
    ])
    expect(rows).toEqual([{ genesis: 'schedule' }])
  })

  test('beside another condition is used up and the trigger stays', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [past, daily] })
    await tick()
    await tick()
    expect(await spawned(id)).toHaveLength(1)
    expect(await app.show(id)).toMatchObject({
      conditions: [{ last_triggered_at: expect.any(String), next_run_at: null }, { last_triggered_at: null }],
    })
  })

  test('that keeps failing is retried with growing pauses, then parked as failed until it is toggled', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [past], agent_root_name: 'nowhere' })
    for (const seconds of [10, 60, 300]) {
      await makeDue(id, 0)
      const before = Date.now()
      await tick()
      const failedAt = (await nextRun(id)).getTime() - seconds * 1000
      expect(failedAt).toBeGreaterThanOrEqual(before)
      expect(failedAt).toBeLessThanOrEqual(Date.now())
    }
    await makeDue(id, 0)
    await tick()
    const error = 'No agent root named "nowhere" is in the catalog'
    expect(await app.show(id)).toMatchObject({
      status: 'failed',
      failed_at: expect.any(String),
      last_error: error,
      conditions: [{ last_triggered_at: null, next_run_at: null }],
    })
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed'])
    await app.patch(`/triggers/${id}`, { agent_root_name: 'lab' })
    expect((await app.post(`/triggers/${id}/toggle`)).body.trigger).toMatchObject({
      status: 'enabled',
      last_error: null,
    })
    await tick()
    expect((await app.get(`/triggers/${id}`)).status).toBe(404)
  })

  test('that was retimed while it fired does not fire for its old time', async () => {
    const target = await insertSession(app.pool, { status: 'needs_input' })
    const id = await app.trigger({
      trigger_conditions_attributes: [past],
      reuse_session: true,
      last_session_id: target,
    })
    const { conditions } = (await app.show(id)) as { conditions: { id: number }[] }
    await app.patch(`/triggers/${id}`, {
      trigger_conditions_attributes: [{ id: conditions[0]?.id, configuration: { scheduled_at: '2041-01-01T00:00' } }],
    })
    await tick()
    expect(await app.fires(id)).toEqual([])
  })
})
