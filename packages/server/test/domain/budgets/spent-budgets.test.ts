import { afterEach, expect, test } from 'vitest'
import { enforceBudgets } from '../../../src/domain/budgets/budget.ts'
import { deliverPrompt } from '../../../src/domain/conversation/conversation.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { endTurn } from '../../../src/domain/turns/end-turn.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { budgetHelpers } from '../../support/costs/budget-helpers.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { onOneDay } from '../../support/vitest/on-one-day.ts'

const app = testApp()
const { create, reaches, settled, say, turns } = sessionHelpers(app)
const { budget, spend, notifications, withdrawals, holdOf } = budgetHelpers(app)
const oneDay = onOneDay()

afterEach(async () => {
  await app.pool.query('delete from budgets')
  await app.pool.query('delete from spend_days')
  await app.pool.query('delete from notifications')
})

test(
  'a turn whose agent completed ends as completed although its last call used the budget up, and the next turn is held',
  oneDay,
  async () => {
    await budget({ scope: 'service', limit_tokens: 10 })
    const session = await create('usage 20 0')
    await reaches(session, 'needs_input')
    await settled(session)
    expect(await turns(session)).toMatchObject([{ state: 'ended', outcome: 'completed' }])
    await eventually(notifications, ({ length }) => length === 1)
    await say(session, 'say next')
    await eventually(
      () => holdOf(session),
      ({ spot_hold_reason }) => spot_hold_reason === 'budget_exhausted',
    )
  },
)

test(
  'a turn whose agent completed ends as completed although another call ended it for a budget meanwhile',
  oneDay,
  async () => {
    const session = await insertRunningSession(app.pool)
    await spend(20)
    await budget({ scope: 'service', limit_tokens: 10 })
    expect(await withdrawals(session)).toEqual(['restart'])
    const { rows } = await app.pool.query('select id, run_marker from turns where session_id = $1', [session])
    const hold = { turnId: rows[0].id, owner: 'elsewhere', marker: rows[0].run_marker }
    await endTurn(app.host.app, hold, session, { kind: 'completed' })
    expect(await turns(session)).toMatchObject([{ state: 'ended', outcome: 'completed' }])
    const { status, metadata } = (await app.get(`/sessions/${session}`)).body.session
    expect(status).toBe('needs_input')
    expect(metadata).not.toHaveProperty('stopped_by_budget')
  },
)

test('a call does not wait for the lock of a budget that people were told about', oneDay, async () => {
  const id = await budget({ scope: 'service', limit_tokens: 10 })
  await spend(20)
  await enforceBudgets(app.host.app, 'all')
  const session = await insertRunningSession(app.pool)
  const other = await app.pool.connect()
  try {
    await other.query('begin')
    await other.query('select from budgets where id = $1 for update', [id])
    await enforceBudgets(app.host.app, { id })
    expect(await withdrawals(session)).toEqual(['restart'])
  } finally {
    await other.query('rollback')
    other.release()
  }
})

test.each(['trigger', 'wake', 'heartbeat', 'follow_up'] as const)(
  'a spent budget holds the priority turn of a %s that no person sent, until a person prompts the session',
  oneDay,
  async (source) => {
    await spend(20)
    await budget({ scope: 'service', limit_tokens: 10 })
    const session = await insertSession(app.pool, {
      scheduling_class: 'priority',
      status: 'needs_input',
      metadata: { stopped_by_budget: true },
    })
    const order = { prompt: 'say hello', goal: null, isImmediate: false, source }
    await transact(app.host.app.db, (tx) => deliverPrompt(app.host.app, tx, { id: session }, order))
    await admit(app.host.app)
    expect(await holdOf(session)).toMatchObject({ spot_hold_reason: 'budget_exhausted', stopped_by_budget: true })
    await say(session, 'say again')
    await eventually(
      () => holdOf(session),
      (hold) => !('spot_hold_reason' in hold),
    )
    await transact(app.host.app.db, (tx) => tx.deleteFrom('sessions').where('id', '=', session).execute())
  },
)

test(
  'a session that a person promotes to priority passes a spent budget, although a trigger sent its prompt',
  oneDay,
  async () => {
    await spend(20)
    await budget({ scope: 'service', limit_tokens: 10 })
    const session = await insertSession(app.pool, { scheduling_class: 'spot', status: 'needs_input' })
    const order = { prompt: 'say hello', goal: null, isImmediate: false, source: 'trigger' as const }
    await transact(app.host.app.db, (tx) => deliverPrompt(app.host.app, tx, { id: session }, order))
    await admit(app.host.app)
    expect(await holdOf(session)).toMatchObject({ spot_hold_reason: 'budget_exhausted' })
    expect((await app.patch(`/sessions/${session}`, { scheduling_class: 'priority' })).body.start.outcome).toBe(
      'started',
    )
    await eventually(
      () => holdOf(session),
      (hold) => !('spot_hold_reason' in hold),
    )
    await transact(app.host.app.db, (tx) => tx.deleteFrom('sessions').where('id', '=', session).execute())
  },
)
