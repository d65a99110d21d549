import { CostsQuery } from '@yardmaster/contract/costs/fields'
import type { KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { showCosts } from '../../../src/domain/costs/show-costs.ts'
import { at, pricedApp, span } from '../../support/costs/priced-app.ts'
import { differencesOfHours, insertUsage } from '../../support/costs/usage-rows.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const { app, costs } = pricedApp()

describe('GET /costs', () => {
  test('GET /costs prices every kind of token, charges cache writes without a lifetime for an hour, and adds up', async () => {
    await insertUsage(app.pool, {
      called_at: at('2026-08-01T10:00:00Z'),
      input_tokens: 1_000_000,
      output_tokens: 1_000_000,
      cache_read_tokens: 1_000_000,
      cache_creation_tokens: 2_000_000,
      cache_creation_5m_tokens: 1_000_000,
      cache_creation_1h_tokens: 1_000_000,
      web_search_requests: 100,
      web_fetch_requests: 3,
    })
    await insertUsage(app.pool, {
      called_at: at('2026-08-01T11:00:00Z'),
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_tokens: 1_000_000,
    })
    const { totals, cost_breakdown, window, scope, unpriced_models } = await costs()
    expect(totals).toEqual({
      input_tokens: 1_000_000,
      output_tokens: 1_000_000,
      cache_read_tokens: 1_000_000,
      cache_creation_tokens: 3_000_000,
      cache_creation_5m_tokens: 1_000_000,
      cache_creation_1h_tokens: 1_000_000,
      web_search_requests: 100,
      web_fetch_requests: 3,
      api_calls: 2,
      total_tokens: 6_000_000,
      cost_usd: 57.75,
      session_cost_usd: 57.75,
      adhoc_cost_usd: 0,
    })
    expect(cost_breakdown).toEqual([
      { component: 'output', cost_usd: 25, share: 0.4329 },
      { component: 'cache write (1h)', cost_usd: 20, share: 0.3463 },
      { component: 'cache write (5m)', cost_usd: 6.25, share: 0.1082 },
      { component: 'fresh input', cost_usd: 5, share: 0.0866 },
      { component: 'web search', cost_usd: 1, share: 0.0173 },
      { component: 'cache read', cost_usd: 0.5, share: 0.0087 },
    ])
    expect(window).toEqual({ from: '2026-08-01T00:00:00Z', to: '2026-08-03T00:00:00Z' })
    expect(scope).toEqual({ kind: 'fleet', agent_root: null, session_id: null })
    expect(unpriced_models).toEqual([])
  })

  test('GET /costs of an empty ledger answers zeros and empty lists', async () => {
    expect(await costs()).toMatchObject({
      totals: { cost_usd: 0, api_calls: 0, total_tokens: 0 },
      cost_breakdown: [],
      by_day: [],
      by_agent_root: [],
      by_model: [],
      by_runtime: [],
      by_thread_kind: [],
      by_adhoc_source: [],
      top_sessions: [],
      unpriced_models: [],
      ledger_coverage: { covers_since: null, covers_until: null },
    })
  })

  test('GET /costs breaks down by day, root, model, runtime, kind of thread, source and session', async () => {
    const one = await insertSession(app.pool, { title: 'Fix login' })
    const two = await insertSession(app.pool, { title: null })
    const call = (columns: object) => insertUsage(app.pool, { input_tokens: 1e6, output_tokens: 0, ...columns })
    await call({ session_id: one, agent_root: 'web', called_at: at('2026-08-01T23:59:59.999Z') })
    await call({ session_id: one, agent_root: 'web', called_at: at('2026-08-02T00:00:00Z'), subagent: true })
    await call({
      session_id: two,
      agent_root: 'api',
      called_at: at('2026-08-02T01:00:00Z'),
      model: 'MY-OPUS-MINI',
      agent_runtime: 'other',
    })
    await call({ session_id: one, called_at: at('2026-08-02T02:00:00Z'), source: 'status_summary' })
    await call({ called_at: at('2026-08-02T03:00:00Z'), model: 'without-rate' })
    const answer = await costs()
    const spend = (cost_usd: number, api_calls: number) => ({ cost_usd, tokens: api_calls * 1e6, api_calls })
    expect(answer).toMatchObject({
      totals: { cost_usd: 16, session_cost_usd: 11, adhoc_cost_usd: 5 },
      by_day: [
        {
          day: '2026-08-01',
          ...spend(5, 1),
          session_cost_usd: 5,
          adhoc_cost_usd: 0,
          roots: [{ name: 'web', ...spend(5, 1) }],
          models: [{ name: 'test-opus-1', ...spend(5, 1) }],
        },
        {
          day: '2026-08-02',
          ...spend(11, 4),
          session_cost_usd: 6,
          adhoc_cost_usd: 5,
          roots: [
            { name: 'web', ...spend(5, 1) },
            { name: 'api', ...spend(1, 1) },
          ],
          models: [
            { name: 'test-opus-1', ...spend(5, 1) },
            { name: 'MY-OPUS-MINI', ...spend(1, 1) },
            { name: 'without-rate', ...spend(0, 1) },
          ],
        },
      ],
      by_agent_root: [
        { agent_root: 'web', ...spend(10, 2) },
        { agent_root: 'api', ...spend(1, 1) },
      ],
      by_model: [
        { model: 'test-opus-1', ...spend(15, 3) },
        { model: 'MY-OPUS-MINI', ...spend(1, 1) },
        { model: 'without-rate', ...spend(0, 1) },
      ],
      by_runtime: [
        { agent_runtime: 'demo', ...spend(15, 4) },
        { agent_runtime: 'other', ...spend(1, 1) },
      ],
      by_thread_kind: [
        { kind: 'main', ...spend(6, 3) },
        { kind: 'subagent', ...spend(5, 1) },
      ],
      by_adhoc_source: [{ source: 'status_summary', ...spend(5, 1) }],
      top_sessions: [
        { session_id: one, title: 'Fix login', ...spend(15, 3) },
        { session_id: two, title: null, ...spend(1, 1) },
      ],
      unpriced_models: ['without-rate'],
    })
  })

  test('GET /costs folds roots and models beyond the 15 that cost most into one row, and lists 15 sessions', async () => {
    for (let n = 1; n <= 17; n += 1) {
      const session_id = await insertSession(app.pool, { title: `Number ${n}` })
      await insertUsage(app.pool, {
        session_id,
        agent_root: `root-${n}`,
        model: `opus-${n}`,
        called_at: at('2026-08-01T10:00:00Z'),
        input_tokens: n * 1e6,
        output_tokens: 0,
      })
    }
    const { by_agent_root, by_model, top_sessions, by_day } = await costs()
    const other = { cost_usd: 15, tokens: 3e6, api_calls: 2 }
    expect(by_agent_root).toHaveLength(16)
    expect(by_agent_root[0]).toMatchObject({ agent_root: 'root-17' })
    expect(by_agent_root.at(-1)).toEqual({ agent_root: 'other (2)', ...other })
    expect(by_model.at(-1)).toEqual({ model: 'other (2)', ...other })
    expect(top_sessions.map(({ title }: { title: string }) => title).slice(0, 2)).toEqual(['Number 17', 'Number 16'])
    expect(top_sessions).toHaveLength(15)
    expect(by_day[0].roots.map(({ name }: { name: string }) => name)).toEqual([
      'root-17',
      'root-16',
      'root-15',
      'root-14',
    ])
    expect(by_day[0].models).toHaveLength(4)
  })

  test('GET /costs folds rows before it rounds them, and a sum is that of its rounded parts', async () => {
    const call = { called_at: at('2026-08-01T10:00:00Z'), input_tokens: 0, output_tokens: 0 }
    for (let n = 1; n <= 17; n += 1)
      await insertUsage(app.pool, { ...call, agent_root: `root-${n}`, cache_read_tokens: n > 15 ? 1 : 1000 })
    const { by_agent_root } = await costs()
    expect(by_agent_root.at(-1)).toMatchObject({ agent_root: 'other (2)', cost_usd: 0.000001 })
    await app.pool.query('delete from session_usage')
    for (const source of [null, 'status_summary'])
      await insertUsage(app.pool, { ...call, source, cache_read_tokens: 1 })
    const parts = { cost_usd: 0.000002, session_cost_usd: 0.000001, adhoc_cost_usd: 0.000001 }
    expect(await costs()).toMatchObject({ totals: parts, by_day: [parts] })
  })

  test('GET /costs answers from one moment: a call that is recorded meanwhile is in all figures or in none', async () => {
    const session_id = await insertSession(app.pool)
    const record = () => insertUsage(app.pool, { session_id })
    await record()
    const recordAfterEachStatement: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        await record()
        return result
      },
    }
    const { app: rooms } = app.host
    const query = CostsQuery.parse({})
    const answer = await showCosts({ ...rooms, db: rooms.db.withPlugin(recordAfterEachStatement) }, query)
    expect(answer.top_sessions).toMatchObject([{ session_id, api_calls: answer.totals.api_calls }])
  })

  test('a deleted session keeps its place in the costs without id and title, and its calls keep their root', async () => {
    const session_id = await insertSession(app.pool, { title: 'Gone' })
    const call = { agent_root: 'web', called_at: at('2026-08-01T10:00:00Z'), input_tokens: 1e6, output_tokens: 0 }
    await insertUsage(app.pool, { ...call, session_id, runtime_session_id: 'conversation-1' })
    await insertUsage(app.pool, { ...call, runtime_session_id: null })
    await app.pool.query('delete from sessions where id = $1', [session_id])
    const { top_sessions, by_agent_root, totals } = await costs()
    expect(top_sessions).toEqual([{ session_id: null, title: null, cost_usd: 5, tokens: 1e6, api_calls: 1 }])
    expect(by_agent_root).toEqual([{ agent_root: 'web', cost_usd: 10, tokens: 2e6, api_calls: 2 }])
    expect(totals.cost_usd).toBe(10)
    expect(await differencesOfHours(app.pool)).toEqual([])
  })
})

describe('GET /costs: the scope', () => {
  test('a root has no ad hoc calls, a session keeps those about it, and a session wins over a root', async () => {
    const session_id = await insertSession(app.pool, { title: 'Scoped', slug: 'scoped-20260801-1000' })
    const called_at = at('2026-08-01T10:30:00Z')
    const call = { called_at, input_tokens: 1e6, output_tokens: 0, agent_root: 'web' }
    await insertUsage(app.pool, { ...call, session_id })
    await insertUsage(app.pool, { ...call, session_id, source: 'status_summary' })
    await insertUsage(app.pool, { ...call, agent_root: 'api' })
    expect(await costs(`${span}&agent_root=web`)).toMatchObject({
      scope: { kind: 'agent_root', agent_root: 'web', session_id: null },
      totals: { cost_usd: 5, adhoc_cost_usd: 0, api_calls: 1 },
      by_adhoc_source: [],
    })
    const ofSession = {
      scope: { kind: 'session', agent_root: null, session_id },
      totals: { cost_usd: 10, adhoc_cost_usd: 5, api_calls: 2 },
      by_adhoc_source: [{ source: 'status_summary' }],
    }
    expect(await costs(`${span}&session_id=${session_id}`)).toMatchObject(ofSession)
    expect(await costs(`${span}&session_id=scoped-20260801-1000&agent_root=api`)).toMatchObject(ofSession)
    expect(await costs(`${span}&session_id=&agent_root=`)).toMatchObject({ scope: { kind: 'fleet' } })
    expect((await costs(`${span}&agent_root=none`)).totals.api_calls).toBe(0)
  })

  test.each(['999999', 'no-such-slug', '99999999999999999999999'])(
    'the unknown session %s answers 404 on /costs and on /costs/records',
    async (id) => {
      for (const path of ['/costs', '/costs/records'])
        expect(await app.get(`${path}?session_id=${id}`)).toMatchObject({
          status: 404,
          body: { error: 'Not Found', messages: [expect.any(String)] },
        })
    },
  )
})

describe('GET /costs: the window', () => {
  const minute = 60_000
  const spanOf = async (query: string) => {
    const { window } = await costs(query)
    return { ...window, minutes: (Date.parse(window.to) - Date.parse(window.from)) / minute }
  }

  test.each([
    ['', 7],
    ['days=3', 3],
    ['days=0', 1],
    ['days=-4', 1],
    ['days=999', 365],
    ['days=abc', 7],
    ['days=99999999999999999999', 365],
    ['to=2026-08-22&days=2', 2],
    ['from=2020-01-01&to=2026-01-01', 365],
  ])('"%s" has a window of %s days', async (query, days) => {
    // The bounds are rounded outwards to minutes, so the window may be a minute longer.
    expect([0, 1]).toContain((await spanOf(query)).minutes - days * 1440)
  })

  test.each([
    ['from=2026-08-01T10:00:30Z&to=2026-08-01T11:00:30Z', '2026-08-01T10:00:00Z', '2026-08-01T11:01:00Z'],
    ['from=2026-08-03&to=2026-08-01', '2026-08-01T00:00:00Z', '2026-08-03T00:00:00Z'],
    ['from=2026-08-01T10:00&to=2026-08-01T12:00:00.500%2B01:00', '2026-08-01T10:00:00Z', '2026-08-01T11:01:00Z'],
    ['to=2026-08-08&days=7', '2026-08-01T00:00:00Z', '2026-08-08T00:00:00Z'],
  ])('%s is read as %s to %s', async (query, from, to) => {
    expect(await spanOf(query)).toMatchObject({ from, to })
  })

  test('both bounds are part of the window, and hours that it only touches count exactly', async () => {
    const times = ['09:59:59.999', '10:00:00', '10:59:59.999', '11:00:00', '12:30:00', '12:30:00.001', '13:00:00']
    for (const time of times) await insertUsage(app.pool, { called_at: at(`2026-08-01T${time}Z`) })
    const calls = async (from: string, to: string) =>
      (await costs(`from=2026-08-01T${from}Z&to=2026-08-01T${to}Z`)).totals.api_calls
    expect(await calls('10:00:00', '12:30:00')).toBe(4)
    expect(await calls('10:01:00', '10:59:00')).toBe(0)
    expect(await calls('10:01:00', '11:00:00')).toBe(2)
    expect(await calls('09:00:00', '13:00:00')).toBe(7)
    expect(await calls('12:30:00', '12:30:00')).toBe(1)
    expect(await calls('10:30:00', '12:59:00')).toBe(4)
  })

  test.each([
    ['from=yesterday', 'From must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['to=2026-02-30', 'To must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['from=2026-08-01T25:00:00Z', 'From must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['to=0000-01-01', 'To must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['as_of=1969-12-31', 'As of must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['to=9999-12-31T23:59:59Z', 'To must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to 9998'],
    ['to=9998-12-31T23:59:59Z', undefined],
    ['days[a]=1', 'Days must be one value, without brackets'],
    ['days=1&days=2', 'Days must be a string'],
    ['agent_root=a%00b', 'Agent root must not hold a NUL character'],
  ])('%s answers 422 Invalid parameter, or is no parameter at all', async (query, message) => {
    for (const path of ['/costs', '/costs/records']) {
      const { status, body } = await app.get(`${path}?${query}`)
      if (message === undefined) expect(status).toBe(200)
      else expect({ status, body }).toMatchObject({ status: 422, body: { error: 'Invalid parameter', message } })
    }
  })
})

test('the sums by hour equal the calls after inserts, repeated inserts, changes and deletes', async () => {
  const session_id = await insertSession(app.pool)
  const id = await insertUsage(app.pool, {
    session_id,
    called_at: at('2026-08-01T10:00:00Z'),
    cache_creation_tokens: 7,
  })
  await insertUsage(app.pool, { session_id, called_at: at('2026-08-01T10:59:59Z'), cache_creation_5m_tokens: 2 })
  await insertUsage(app.pool, { session_id, called_at: at('2026-08-01T11:00:00Z'), subagent: true })
  expect(await differencesOfHours(app.pool)).toEqual([])
  await app.pool.query(
    'insert into session_usage (request_id, agent_runtime, model, called_at) values ($1, $2, $2, now()) on conflict do nothing',
    [id, 'x'],
  )
  await app.pool.query(`update session_usage set model = 'renamed' where request_id = $1`, [id])
  expect(await differencesOfHours(app.pool)).toEqual([])
  await app.pool.query('delete from session_usage where request_id = $1', [id])
  expect(await differencesOfHours(app.pool)).toEqual([])
  await app.pool.query('delete from session_usage')
  const { rows } = await app.pool.query('select count(*)::int as count from usage_hours')
  expect(rows).toEqual([{ count: 0 }])
})
