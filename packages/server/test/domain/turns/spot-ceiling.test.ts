import { afterEach, describe, expect, test } from 'vitest'
import type { PoolUse } from '../../../src/domain/accounts/account.ts'
import { endTurn } from '../../../src/domain/turns/end-turn.ts'
import { spentQuotas } from '../../../src/domain/turns/quota-gate.ts'
import { sweepSpotCeiling } from '../../../src/domain/turns/spot-ceiling.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, say, turns, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects

const sweep = (): Promise<void> => sweepSpotCeiling(app.host.app)

/** The vendor's reading of an account of the demo runtime, which a real one would have by `measure`. */
async function reading(fiveHour: number, weekly = 0.1): Promise<void> {
  await app.pool.query(
    `with account as (
       insert into accounts (runtime, email) values ('demo', 'one@example.test')
       on conflict (runtime, email) do update set updated_at = now()
       returning id
     )
     insert into quota_snapshots (account_id, account_email, account_runtime, trigger, utilization_5h, utilization_7d,
       reset_5h, reset_7d, status_5h, status_7d, active_session_count)
     select id, 'one@example.test', 'demo', 'scheduled', $1, $2, now() + interval '1 hour', now() + interval '1 day',
       'allowed', 'allowed', 0
     from account`,
    [fiveHour, weekly],
  )
}

afterEach(async () => {
  await app.pool.query('delete from accounts')
  await app.pool.query('delete from quota_snapshots')
  await app.pool.query(`delete from sessions where metadata ? 'spot_pause_at'`)
  await app.pool.query('delete from settings')
})

/** Without the event that wakes the sweep of the host, which would count as a second one. */
async function limitSlots(slots: number): Promise<void> {
  await app.pool.query('insert into settings (spot_max_concurrent_sessions) values ($1)', [slots])
}

/** Paused sessions without a turn, so that resuming one starts nothing. */
const insertPaused = (columns: Record<string, unknown> = {}, at = '2026-01-01T00:00:00Z'): Promise<number> =>
  insertSession(app.pool, { status: 'waiting', metadata: { paused_by: 'spot_quota', spot_pause_at: at }, ...columns })

async function stillPaused(ids: readonly number[]): Promise<number[]> {
  const { rows } = await app.pool.query(
    `select id from sessions where id = any($1) and metadata ? 'spot_pause_at' order by id`,
    [ids],
  )
  return rows.map(({ id }) => Number(id))
}

describe('at a quota target', () => {
  test('a running spot turn stops in order, its session says why, and the turn goes on when the window clears', async () => {
    const { id, release } = await busy()
    await reading(0.85)
    await sweep()
    const paused = await reaches(id, 'waiting')
    const detail = 'the accounts of demo have used 85 % of their 5-hour quota and the target for spot work is 80 %'
    expect(paused.metadata).toMatchObject({
      paused_by: 'spot_quota',
      spot_pause_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      spot_pause_reason: 'at_utilization_limit',
      spot_pause_detail: detail,
      spot_pause_count: 1,
    })
    const queued = await eventually(
      () => turns(id),
      (all) => all.length === 2,
    )
    expect(queued).toMatchObject([
      { state: 'ended', outcome: 'interrupted', withdrawn_by: 'restart' },
      { state: 'queued', source: 'recovery' },
    ])
    expect(await logs(id)).toContain(`Paused: ${detail}. The turn goes on when a window clears.`)
    const { body } = await app.get('/needs_you')
    expect(body.held).toContainEqual(
      expect.objectContaining({ id, held: { reason: 'at_utilization_limit', since: expect.any(String) } }),
    )
    expect(body.held.find((card: { id: number }) => card.id === id)).not.toHaveProperty('paused')
    expect((await app.get('/board/summary')).body.spot.held).toBe(1)

    await release()
    await reading(0.2)
    await sweep()
    const rested = await reaches(id, 'needs_input')
    expect(Object.keys(rested.metadata).filter((key) => /paused_by|spot_(pause|hold)/.test(key))).toEqual([
      'spot_pause_count',
    ])
    expect(await logs(id)).toContain('The paused turn goes on.')
    expect((await turns(id)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['create', 'interrupted'],
      ['recovery', 'completed'],
    ])
  })

  test('a turn whose agent has not received its prompt is queued again as it is, and delivered once', async () => {
    await limitSlots(1)
    const { release } = await busy()
    const id = await create(doing('late'))
    await eventually(
      () => findDemo(app, id),
      ({ metadata }) => metadata.spot_hold_at !== undefined,
    )
    // Dispatched, and not taken yet: no worker has its job.
    await app.pool.query(`update turns set state = 'dispatched', dispatched_at = now() where session_id = $1`, [id])
    await reading(0.85)
    await sweep()
    expect((await findDemo(app, id)).metadata).toMatchObject({ spot_pause_count: 1 })
    await release()
    await reading(0.2)
    await eventually(
      async () => {
        await sweep()
        return done()
      },
      (words) => words.includes('late'),
    )
    await settled(id)
    expect((await done()).filter((word) => word === 'late')).toHaveLength(1)
  })

  test('priority turns, spot turns of other runtimes, and spot turns below the target run on', async () => {
    const priority = await insertRunningSession(app.pool, { scheduling_class: 'priority' })
    const other = await insertRunningSession(app.pool, { agent_runtime: 'runtime_beta' })
    const spot = await insertRunningSession(app.pool)
    await reading(0.79, 0.79)
    await sweep()
    expect(await findDemo(app, spot)).toMatchObject({ status: 'running' })
    await reading(0.2, 0.8)
    await sweep()
    expect(await findDemo(app, spot)).toMatchObject({
      status: 'waiting',
      metadata: { spot_pause_detail: expect.stringContaining('80 % of their weekly quota') },
    })
    for (const id of [priority, other]) expect(await findDemo(app, id)).toMatchObject({ status: 'running' })
    await app.pool.query('delete from sessions where id = any($1)', [[priority, other, spot]])
  })

  test('nothing is paused without a reading or with the gate off', async () => {
    const id = await insertRunningSession(app.pool)
    await sweep()
    await app.patch('/settings', { spot_gating_enabled: false })
    await reading(1, 1)
    await sweep()
    expect(await findDemo(app, id)).toMatchObject({ status: 'running' })
    await app.pool.query('delete from sessions where id = $1', [id])
  })

  test('hosts that sweep at the same time pause a turn once', async () => {
    const id = await insertRunningSession(app.pool, { metadata: { spot_pause_count: 3 } })
    await reading(0.9)
    await Promise.all([sweep(), sweep(), sweep(), sweep()])
    expect((await findDemo(app, id)).metadata).toMatchObject({ spot_pause_count: 4 })
    expect((await logs(id)).filter((line) => line.startsWith('Paused:'))).toHaveLength(1)
    await app.pool.query('delete from sessions where id = $1', [id])
  })

  test('a turn whose agent has completed it ends as completed although the target ended it meanwhile', async () => {
    const id = await insertRunningSession(app.pool)
    await reading(0.9)
    await sweep()
    const [turn] = await turns(id)
    const hold = { turnId: String(turn?.id), owner: 'elsewhere', marker: String(turn?.run_marker) }
    await endTurn(app.host.app, hold, id, { kind: 'completed' })
    expect(await turns(id)).toMatchObject([{ state: 'ended', outcome: 'completed' }])
    const { status, metadata } = await findDemo(app, id)
    expect(status).toBe('needs_input')
    expect(metadata).not.toHaveProperty('spot_pause_at')
  })

  test('a session that waits for an answer of a person is left alone', async () => {
    const id = await insertRunningSession(app.pool, {
      status: 'needs_input',
      metadata: { blocked_on_elicitation: true },
    })
    await reading(0.9)
    await sweep()
    expect(await findDemo(app, id)).toMatchObject({ status: 'needs_input', metadata: { blocked_on_elicitation: true } })
    await app.pool.query('delete from sessions where id = $1', [id])
  })
})

describe('a paused session', () => {
  test('waits until the pool is five points below its target', async () => {
    const id = await insertPaused()
    for (const [use, isPaused] of [
      [0.79, true],
      [0.75, true],
      [0.74, false],
    ] as const) {
      await reading(use)
      await sweep()
      expect(await stillPaused([id])).toEqual(isPaused ? [id] : [])
    }
  })

  test('resumes after four others at most: the highest precedence first, and the oldest pause among equals', async () => {
    const late = await insertPaused({}, '2026-01-09T00:00:00Z')
    const early = await Promise.all([1, 2, 3, 4].map((day) => insertPaused({}, `2026-01-0${day}T00:00:00Z`)))
    const oldest = await insertPaused({}, '2026-01-05T00:00:00Z')
    const first = await insertPaused({ precedence: 7 }, '2026-01-09T00:00:00Z')
    await sweep()
    expect(await stillPaused([late, ...early, oldest, first])).toEqual([late, oldest].toSorted((a, b) => a - b))
    const { rows } = await app.pool.query(
      `select session_id::int as id from session_logs where content = 'The paused turn goes on.' and session_id = any($1) order by session_logs.id`,
      [[late, ...early, oldest, first]],
    )
    expect(rows.map(({ id }) => id)[0]).toBe(first)
    await sweep()
    expect(await stillPaused([late, oldest])).toEqual([])
  })

  test('resumes only while a slot is free', async () => {
    await limitSlots(2)
    const running = await insertRunningSession(app.pool)
    const ids = [await insertPaused({ precedence: 1 }), await insertPaused()]
    await sweep()
    expect(await stillPaused(ids)).toEqual([ids[1]])
    await app.pool.query('delete from sessions where id = $1', [running])
  })

  test('resumes by the next sweep when its class becomes priority or the gate is turned off', async () => {
    const byGenesis = await insertPaused()
    const bySwitch = await insertPaused({ scheduling_class: 'spot' })
    await reading(0.9)
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority' } })
    await sweep()
    expect(await stillPaused([byGenesis, bySwitch])).toEqual([bySwitch])
    await app.patch('/settings', { spot_gating_enabled: false })
    await sweep()
    expect(await stillPaused([bySwitch])).toEqual([])
  })

  test('starts at once when a person promotes it, and the answer says so', async () => {
    const { id, release } = await busy()
    await reading(0.9)
    await sweep()
    await eventually(
      () => turns(id),
      (all) => all.length === 2,
    )
    await release()
    const { status, body } = await app.patch(`/sessions/${id}`, { scheduling_class: 'priority' })
    expect({ status, start: body.start }).toMatchObject({ status: 200, start: { outcome: 'started' } })
    expect(body.session.metadata).not.toHaveProperty('spot_pause_at')
    await reaches(id, 'needs_input')
  })

  test('takes a follow-up as its next turn, which the gate holds at the target, and runs both in order', async () => {
    const { id, release } = await busy()
    await reading(0.9)
    await sweep()
    await eventually(
      () => turns(id),
      (all) => all.length === 2,
    )
    const { delivery } = await say(id, doing('after the pause'))
    expect(delivery).toBe('sent')
    const held = await eventually(
      () => findDemo(app, id),
      ({ metadata }) => metadata.spot_hold_at !== undefined,
    )
    expect(held.metadata).toMatchObject({ spot_hold_reason: 'at_utilization_limit' })
    expect(held.metadata).not.toHaveProperty('spot_pause_at')
    await release()
    await app.patch('/settings', { spot_gate_five_hour_threshold_pct: 95 })
    await isDone('after the pause')
    await settled(id)
    expect((await turns(id)).map(({ source, outcome }) => [source, outcome])).toEqual([
      ['create', 'interrupted'],
      ['recovery', 'completed'],
      ['follow_up', 'completed'],
    ])
  })

  test('is no longer paused after it is archived', async () => {
    const id = await insertPaused()
    await reading(0.9)
    expect(await app.post(`/sessions/${id}/archive`, {})).toMatchObject({ status: 200 })
    expect((await findDemo(app, id)).metadata).not.toHaveProperty('spot_pause_at')
  })
})

describe('the margin below a target', () => {
  const targets = (percent: number) => ({
    spot_gate_five_hour_threshold_pct: percent,
    spot_gate_weekly_threshold_pct: 100,
  })
  const used = (fiveHour: number): Map<string, PoolUse> => new Map([['demo', { fiveHour, weekly: 0 }]])

  test.each([
    [80, 0.75, true],
    [80, 0.7499, false],
    [3, 0.01, true],
    [3, 0, false],
    [0, 0, true],
  ])('with a target of %s percent and a use of %s it is %s that paused turns wait', (target, use, isNear) => {
    expect(spentQuotas(targets(target), used(use), { marginPoints: 5 }).has('demo')).toBe(isNear)
  })
})
