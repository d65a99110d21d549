import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { enforceBudgets } from '../../../src/domain/budgets/budget.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { startTestApp, testApp } from '../../support/app/app.ts'
import { catalogOnDisk, wholeCatalog } from '../../support/app/catalog-app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { budgetHelpers } from '../../support/costs/budget-helpers.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { insertRunningSession, insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { onOneDay } from '../../support/vitest/on-one-day.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-budgets-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const prices = join(folder, 'prices.json')
// A thousand tokens of the demo agent cost a dollar.
const rates = { demo: { input: 1000, output: 1000 } }
writeFileSync(prices, JSON.stringify({ versions: [{ valid_from: '2020-01-01', per_mtok: rates }] }))
const catalog = await catalogOnDisk({
  ...wholeCatalog,
  'roots.json': { web: { description: 'The web.', url: folder, default_runtime: 'demo' } },
})

const app = testApp({ environment: { PRICES_PATH: prices, CATALOG_PATH: `${catalog}/air.json` } })
const { create, reaches, settled, say, logs, turns } = sessionHelpers(app)
const oneDay = onOneDay()

afterEach(async () => {
  await app.pool.query('delete from budgets')
  await app.pool.query('delete from spend_days')
  await app.pool.query('delete from notifications')
})

const { budget, show, raise, spend, notifications, withdrawals, holdOf } = budgetHelpers(app)

/** A session whose spot turn waits for admission. */
async function insertQueued(metadata = {}): Promise<number> {
  const id = await insertSession(app.pool, { scheduling_class: 'spot', metadata })
  await app.pool.query(
    `insert into turns (session_id, sequence, source, prompt, state) values ($1, 1, 'create', 'say hello', 'queued')`,
    [id],
  )
  return id
}

describe('the endpoints of budgets', oneDay, () => {
  test('a budget is made, listed, shown, changed and deleted', async () => {
    const { status, body } = await app.post('/budgets', { scope: 'service', period: 'month', limit_usd: 10 })
    expect(status).toBe(201)
    const start = new Date()
    const month = `${start.toISOString().slice(0, 7)}-01T00:00:00Z`
    expect(body.budget).toEqual({
      id: expect.any(Number),
      scope: 'service',
      agent_root: null,
      session_id: null,
      period: 'month',
      limit_usd: 10,
      limit_tokens: null,
      spent_usd: 0,
      spent_tokens: 0,
      spent_share: 0,
      state: 'ok',
      period_started_at: month,
      period_ends_at: expect.stringMatching(/-01T00:00:00Z$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { id } = body.budget
    await spend(1500)
    expect(await show(id)).toMatchObject({ spent_usd: 1.5, spent_tokens: 1500, spent_share: 0.15, state: 'ok' })
    expect((await app.get('/budgets')).body).toMatchObject({
      budgets: [{ id, spent_usd: 1.5 }],
      pagination: { total_count: 1 },
    })
    expect((await app.get('/budgets?page=2')).body.budgets).toEqual([])
    expect(await raise(id, { limit_usd: 1 })).toMatchObject({ status: 200, body: { budget: { state: 'exhausted' } } })
    expect(await app.delete(`/budgets/${id}`)).toMatchObject({ status: 204 })
    for (const answer of [await app.get(`/budgets/${id}`), await app.delete(`/budgets/${id}`)])
      expect(answer).toMatchObject({ status: 404, body: { error: 'Not Found' } })
    expect(await raise(id, { limit_usd: 1 })).toMatchObject({ status: 404 })
  })

  test.each([
    [{ scope: 'planet', period: 'day', limit_usd: 1 }, 'Scope must be one of: service, agent_root, session'],
    [{ scope: 'service', period: 'year', limit_usd: 1 }, 'Period must be one of: day, month'],
    [{ scope: 'service', period: 'day' }, 'Send either limit_usd or limit_tokens'],
    [{ scope: 'service', period: 'day', limit_usd: 1, limit_tokens: 1 }, 'Send either limit_usd or limit_tokens'],
    [{ scope: 'service', period: 'day', limit_usd: 0 }, 'Limit usd must be greater than or equal to 0.01'],
    [{ scope: 'service', period: 'day', limit_tokens: 1.5 }, expect.stringContaining('Limit tokens must be')],
    [{ scope: 'service', period: 'day', limit_tokens: -1 }, 'Limit tokens must be greater than or equal to 1'],
    [
      { scope: 'service', period: 'day', limit_usd: 1, agent_root: 'web' },
      'Send agent_root with the scope agent_root, and only then',
    ],
    [{ scope: 'agent_root', period: 'day', limit_usd: 1 }, 'Send agent_root with the scope agent_root, and only then'],
    [{ scope: 'session', period: 'day', limit_usd: 1 }, 'Send session_id with the scope session, and only then'],
    [
      { scope: 'session', period: 'day', limit_usd: 1, session_id: [1] },
      'session_id must be the id or the slug of a session',
    ],
  ])('%j answers 422 Validation failed', async (order, message) => {
    expect(await app.post('/budgets', order)).toMatchObject({
      status: 422,
      body: { error: 'Validation failed', message },
    })
  })

  test('an unknown root answers 422 Invalid agent_root, and an unknown session 404', async () => {
    expect(
      await app.post('/budgets', { scope: 'agent_root', agent_root: 'none', period: 'day', limit_usd: 1 }),
    ).toMatchObject({
      status: 422,
      body: { error: 'Invalid agent_root', message: 'Agent root "none" is not in the catalog' },
    })
    expect(
      await app.post('/budgets', { scope: 'session', session_id: 999_999, period: 'day', limit_usd: 1 }),
    ).toMatchObject({ status: 404 })
  })

  test('a second budget of the same scope, period and unit is refused, also when two callers race, and a unit never changes', async () => {
    const order = { scope: 'service', period: 'day', limit_usd: 1 }
    const answers = await Promise.all([1, 2, 3].map(() => app.post('/budgets', order)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({
      error: 'Validation failed',
      message: 'There is a budget of this scope, period and unit already; change its limit',
    })
    await budget({ scope: 'service', limit_tokens: 5 })
    await budget({ scope: 'service', period: 'month', limit_usd: 5 })
    const id = answers.find(({ status }) => status === 201)?.body.budget.id
    expect(await raise(id, { limit_tokens: 5 })).toMatchObject({
      status: 422,
      body: { error: 'Validation failed', message: 'The budget counts dollars; make another one' },
    })
    expect(await raise(id, {})).toMatchObject({ status: 422, body: { error: 'Validation failed' } })
  })

  test('deleting a session deletes its budgets', async () => {
    const session_id = await insertSession(app.pool)
    const id = await budget({ scope: 'session', session_id, limit_usd: 1 })
    await app.pool.query('delete from sessions where id = $1', [session_id])
    expect(await app.get(`/budgets/${id}`)).toMatchObject({ status: 404 })
  })
})

describe('what counts', oneDay, () => {
  test('a budget counts its scope in its period, by the day on which a call is recorded', async () => {
    const session_id = await insertSession(app.pool)
    const ofSession = await budget({ scope: 'session', session_id, limit_tokens: 1e6 })
    const ofRoot = await budget({ scope: 'agent_root', agent_root: 'web', limit_tokens: 1e6 })
    const ofService = await budget({ scope: 'service', limit_tokens: 1e6 })
    const monthly = await budget({ scope: 'service', period: 'month', limit_tokens: 1e6 })
    await spend(1, { session_id, agent_root: 'web' })
    await spend(10, { session_id, agent_root: 'web', is_adhoc: true })
    await spend(100, { agent_root: 'web' })
    await spend(1000, { agent_root: 'other' })
    await spend(10_000, { agent_root: 'web', day: '2020-01-01' })
    // Recorded while the clock of the database was ahead.
    await spend(100_000, { agent_root: 'other', day: '2199-01-01' })
    const spent = async (id: number) => (await show(id)).spent_tokens
    expect(await spent(ofSession)).toBe(11)
    expect(await spent(ofRoot)).toBe(101)
    expect(await spent(ofService)).toBe(101_111)
    expect(await spent(monthly)).toBe(101_111)
  })

  test('a month ends in UTC, also with a database in another time zone', async () => {
    const inNewYork = new URL(app.databaseUrl)
    inNewYork.searchParams.set('options', '-c timezone=America/New_York')
    const other = await startTestApp({ environment: { DATABASE_URL: inNewYork.href, ROLE: 'web' } })
    onTestFinished(other.stop)
    const { body } = await other.app.post('/budgets', { scope: 'service', period: 'month', limit_usd: 10 })
    const start = new Date(body.budget.period_started_at)
    const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
    expect(start.toISOString()).toMatch(/-01T00:00:00.000Z$/)
    expect(new Date(body.budget.period_ends_at)).toEqual(end)
  })

  test('an agent that backdates its calls does not get around a budget', async () => {
    const lines = JSON.stringify({
      type: 'assistant',
      requestId: `backdated-${Date.now()}`,
      timestamp: '2001-01-01T00:00:00Z',
      message: { model: 'demo', usage: { input_tokens: 700, output_tokens: 0 } },
    })
    const id = await budget({ scope: 'service', limit_tokens: 10_000 })
    await reaches(await create(`run printf '%s\\n' '${lines}' >> $(ls $HOME/transcripts/*.jsonl)`), 'needs_input')
    expect((await show(id)).spent_tokens).toBe(700)
  })

  test('deleting a session refunds nothing', async () => {
    const session = await create('usage 300 0')
    await reaches(session, 'needs_input')
    const id = await budget({ scope: 'service', limit_tokens: 10_000 })
    await settled(session)
    await app.delete(`/sessions/${session}`)
    expect((await show(id)).spent_tokens).toBe(300)
  })
})

describe('a budget that is used up', oneDay, () => {
  test('people are told at 80 %, the running turn ends at 100 %, the session says why, and raising the limit lets it go on', async () => {
    const id = await budget({ scope: 'service', limit_usd: 1 })
    const gate = agentGate(app.shared)
    const session = await create(`usage 850 0\n${gate.line}\nusage 200 0\nsleep 120\nsay never`)
    await eventually(notifications, (list) => list.length > 0)
    expect(await notifications()).toEqual([
      'budget_warning: $0.85 were spent of the daily budget of $1.00 for the whole service (85 %).',
    ])
    await gate.open()
    await eventually(
      () => holdOf(session),
      ({ spot_hold_reason }) => spot_hold_reason === 'budget_exhausted',
    )
    expect((await app.get(`/sessions/${session}`)).body.session).toMatchObject({
      status: 'waiting',
      metadata: {
        spot_hold_detail: 'the daily budget of $1.00 for the whole service is spent',
        stopped_by_budget: true,
      },
    })
    expect(await notifications()).toEqual([
      expect.stringMatching(/^budget_warning/),
      'budget_exhausted: $1.05 were spent of the daily budget of $1.00 for the whole service (105 %). Running turns end and spot turns are held.',
    ])
    expect(await logs(session)).toEqual(
      expect.arrayContaining([
        'The turn ends: the daily budget of $1.00 for the whole service is spent. It goes on when the limit is raised or the next period begins.',
        'Held: the daily budget of $1.00 for the whole service is spent. The turn starts when the limit is raised or the next period begins.',
      ]),
    )
    expect(await turns(session)).toMatchObject([{ state: 'ended', outcome: 'interrupted' }, { state: 'queued' }])
    const held = await create('say later')
    await eventually(
      () => holdOf(held),
      ({ spot_hold_reason }) => spot_hold_reason === 'budget_exhausted',
    )
    expect(await raise(id, { limit_usd: 50 })).toMatchObject({ status: 200, body: { budget: { state: 'ok' } } })
    for (const each of [session, held]) {
      await reaches(each, 'needs_input')
      expect(await holdOf(each)).not.toHaveProperty('spot_hold_reason')
      expect(await holdOf(each)).not.toHaveProperty('stopped_by_budget')
    }
    expect(await logs(session)).toContain('The budget allows it; the held turn starts.')
  })

  test('a priority turn starts although the budget is spent, is not ended by it, and the log says so', async () => {
    await budget({ scope: 'service', limit_tokens: 10 })
    await spend(20)
    const session = await create('usage 5 5\nsay done', { scheduling_class: 'priority' })
    await reaches(session, 'needs_input')
    await settled(session)
    expect(await logs(session)).toContain(
      'A priority turn starts although the daily budget of 10 tokens for the whole service is spent.',
    )
    expect(await turns(session)).toMatchObject([{ outcome: 'completed' }])
  })

  test('a held turn says the budget that holds it now instead of the slot it waited for, logs it once, and keeps its time', async () => {
    const at = '2026-01-01T00:00:00Z'
    const held = await insertQueued({ spot_hold_at: at, spot_hold_reason: 'fleet_at_cap', spot_hold_detail: 'full' })
    await budget({ scope: 'service', limit_tokens: 10 })
    await spend(20)
    for (let round = 0; round < 3; round += 1) await admit(app.host.app)
    expect(await holdOf(held)).toMatchObject({
      spot_hold_at: at,
      spot_hold_reason: 'budget_exhausted',
      spot_hold_detail: 'the daily budget of 10 tokens for the whole service is spent',
    })
    expect((await logs(held)).filter((line) => line.startsWith('Held:'))).toHaveLength(1)
  })

  test('only the turns of its own scope end or wait', async () => {
    const other = await create('sleep 120')
    await reaches(other, 'running')
    const session = await create('say first')
    await reaches(session, 'needs_input')
    await budget({ scope: 'session', session_id: session, limit_tokens: 10 })
    await spend(20, { session_id: session })
    await enforceBudgets(app.host.app, 'all')
    await say(session, 'say second')
    await eventually(
      () => holdOf(session),
      ({ spot_hold_reason }) => spot_hold_reason === 'budget_exhausted',
    )
    expect((await app.get(`/sessions/${other}`)).body.session.status).toBe('running')
    await app.post(`/sessions/${other}/pause`)
  })

  test.each(['day', 'month'])(
    'the budget of a root for a %s ends and holds the turns of that root only',
    async (period) => {
      const metadata = { agent_root_key: 'web' }
      const ofRoot = await insertRunningSession(app.pool, { metadata })
      const other = await insertRunningSession(app.pool)
      const id = await budget({ scope: 'agent_root', agent_root: 'web', period, limit_usd: 1 })
      await spend(1000, { agent_root: 'web' })
      // Last: the worker admits a queued turn at any time that no budget holds.
      const held = await insertQueued(metadata)
      await enforceBudgets(app.host.app, 'all')
      await admit(app.host.app)
      expect(await withdrawals(ofRoot)).toEqual(['restart'])
      expect(await withdrawals(other)).toEqual([null])
      expect(await holdOf(held)).toMatchObject({
        spot_hold_reason: 'budget_exhausted',
        spot_hold_detail: `the ${period === 'day' ? 'daily' : 'monthly'} budget of $1.00 for the root web is spent`,
      })
      await raise(id, { limit_usd: 2 })
      await eventually(
        () => holdOf(held),
        (hold) => !('spot_hold_reason' in hold),
      )
      await app.pool.query('delete from sessions where id = any($1)', [[ofRoot, other]])
    },
  )

  test.each([
    ['day', 1],
    ['month', 31],
  ])('a turn that the budget of a %s holds starts when the next one begins', async (period, days) => {
    await budget({ scope: 'service', period, limit_tokens: 10 })
    await spend(20)
    const held = await insertQueued()
    await admit(app.host.app)
    expect(await holdOf(held)).toMatchObject({ spot_hold_reason: 'budget_exhausted' })
    await app.pool.query('update spend_days set day = day - $1::int', [days])
    await admit(app.host.app)
    expect(await holdOf(held)).not.toHaveProperty('spot_hold_reason')
  })

  test('turns are ended from what was spent, also when the host that recorded it died before it told anyone', async () => {
    const session = await insertRunningSession(app.pool)
    await budget({ scope: 'service', limit_tokens: 10 })
    await spend(20, { session_id: session })
    await eventually(
      () => withdrawals(session),
      ([by]) => by === 'restart',
    )
    expect((await app.get(`/sessions/${session}`)).body.session.status).toBe('waiting')
  })

  test('hosts that find a budget used up at the same time tell people once, and once more after it was raised and reached', async () => {
    const session_id = await insertSession(app.pool)
    const id = await budget({ scope: 'session', session_id, limit_tokens: 100 })
    await insertUsage(app.pool, { session_id, input_tokens: 100, output_tokens: 0 })
    await Promise.all(Array.from({ length: 8 }, () => enforceBudgets(app.host.app, 'all')))
    expect(await notifications()).toHaveLength(1)
    await raise(id, { limit_tokens: 110 })
    await enforceBudgets(app.host.app, 'all')
    expect(await notifications()).toHaveLength(1)
    await insertUsage(app.pool, { session_id, input_tokens: 10, output_tokens: 0 })
    await Promise.all(Array.from({ length: 8 }, () => enforceBudgets(app.host.app, 'all')))
    expect(await notifications()).toEqual([
      expect.stringMatching(/^budget_exhausted: 100 tokens were spent of the daily budget of 100 tokens/),
      expect.stringMatching(/^budget_exhausted: 110 tokens were spent of the daily budget of 110 tokens/),
    ])
  })

  test('deleting a budget lets the turns go on that it holds', async () => {
    const id = await budget({ scope: 'service', limit_tokens: 10 })
    await spend(20)
    const session = await create('say done')
    await eventually(
      () => holdOf(session),
      ({ spot_hold_reason }) => spot_hold_reason === 'budget_exhausted',
    )
    await app.delete(`/budgets/${id}`)
    await reaches(session, 'needs_input')
  })
})

test('no tool changes a budget, so an agent, whose key opens nothing but tools, cannot raise its own', async () => {
  const tools = await mcpClient(app).tools()
  expect(JSON.stringify(tools.map(({ name }) => name))).not.toContain('budget')
  const { status } = await app.send('/api/v1/budgets', { headers: { 'x-api-key': `ymt_${'a'.repeat(43)}` } })
  expect(status).toBe(401)
})
