import { beforeAll, describe, expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { insertUsage } from '../../support/costs/usage-rows.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp()
const span = 'from=2026-08-01&to=2026-08-02'
let sessionId = 0

beforeAll(async () => {
  sessionId = await insertSession(app.pool, { title: 'Records', slug: 'records-20260801-1000' })
  const call = (name: string, columns: object) =>
    insertUsage(app.pool, { request_id: name, called_at: new Date('2026-08-01T10:00:00Z'), ...columns })
  await call('main', { session_id: sessionId, agent_root: 'web', service_tier: 'standard', cache_creation_tokens: 1e6 })
  await call('subagent', { session_id: sessionId, agent_root: 'web', subagent: true })
  await call('api', { agent_root: 'api', agent_runtime: 'other', called_at: new Date('2026-08-01T09:00:00Z') })
  await call('unpriced', { model: 'who-knows', called_at: new Date('2026-08-01T08:00:00Z') })
  await call('summary', { session_id: sessionId, agent_root: 'web', source: 'status_summary' })
  await call('other-source', { source: 'elsewhere' })
  await call('too-late', { called_at: new Date('2026-08-02T00:00:01Z') })
})

const list = async (query = '') => {
  const { status, body } = await app.get(`/costs/records?${span}${query}`)
  expect(status).toBe(200)
  return { ...body, names: body.records.map(({ request_id }: { request_id: string }) => request_id) }
}

describe('GET /costs/records', () => {
  test('GET /costs/records lists the calls of sessions, the latest first and by id where times are equal', async () => {
    const { kind, window, names, pagination, pricing, records } = await list()
    expect({ kind, window, names, pagination }).toEqual({
      kind: 'session',
      window: { from: '2026-08-01T00:00:00Z', to: '2026-08-02T00:00:00Z' },
      names: ['subagent', 'main', 'api', 'unpriced'],
      pagination: { page: 1, per_page: 25, total_count: 4, total_pages: 1 },
    })
    expect(pricing).toMatchObject({
      source: 'built_in',
      valid_from: null,
      problem: null,
      per_mtok: { opus: { input: 5 } },
    })
    expect(records[1]).toEqual({
      id: expect.any(Number),
      request_id: 'main',
      model: 'test-opus-1',
      called_at: '2026-08-01T10:00:00Z',
      input_tokens: 1000,
      output_tokens: 100,
      cache_read_tokens: 0,
      cache_creation_tokens: 1_000_000,
      cache_creation_5m_tokens: 0,
      cache_creation_1h_tokens: 0,
      web_search_requests: 0,
      web_fetch_requests: 0,
      total_tokens: 1_001_100,
      cost_usd: 10.0075,
      priced: true,
      service_tier: 'standard',
      session_id: sessionId,
      agent_root: 'web',
      agent_runtime: 'demo',
      subagent: false,
    })
    expect(records[3]).toMatchObject({ cost_usd: 0, priced: false })
  })

  test('an ad hoc call has a source, the session it is about and metadata instead of the keys of a session', async () => {
    const { kind, records, names } = await list('&kind=adhoc')
    expect({ kind, names }).toEqual({ kind: 'adhoc', names: ['other-source', 'summary'] })
    expect(records[1]).toMatchObject({
      source: 'status_summary',
      subject_session_id: sessionId,
      metadata: { agent_runtime: 'demo', agent_root: 'web' },
    })
    expect(Object.keys(records[1])).not.toContain('subagent')
  })

  test.each([
    ['&session_id=records-20260801-1000', ['subagent', 'main']],
    ['&agent_root=web', ['subagent', 'main']],
    ['&agent_runtime=other', ['api']],
    ['&model=who-knows', ['unpriced']],
    ['&subagent=true', ['subagent']],
    ['&subagent=no', ['main', 'api', 'unpriced']],
    ['&subagent=', ['subagent', 'main', 'api', 'unpriced']],
    ['&agent_root=web&subagent=false&model=test-opus-1', ['main']],
    ['&source=status_summary', ['subagent', 'main', 'api', 'unpriced']],
    ['&kind=nonsense', ['subagent', 'main', 'api', 'unpriced']],
    ['&kind=adhoc&source=status_summary', ['summary']],
    ['&kind=adhoc&session_id=records-20260801-1000', ['summary']],
    ['&kind=adhoc&agent_root=none&agent_runtime=none&subagent=true', ['other-source', 'summary']],
    ['&kind=adhoc&model=who-knows', []],
  ])('the filter %s answers %s', async (query, expected) => {
    expect((await list(query)).names).toEqual(expected)
  })

  test.each([
    ['&per_page=2&page=2', ['api', 'unpriced'], { page: 2, per_page: 2, total_count: 4, total_pages: 2 }],
    ['&per_page=0', ['subagent'], { page: 1, per_page: 1, total_count: 4, total_pages: 4 }],
    ['&per_page=1000&page=abc', ['subagent', 'main', 'api', 'unpriced'], { page: 1, per_page: 100 }],
    ['&page=99', [], { page: 99, per_page: 25, total_count: 4, total_pages: 1 }],
  ])('the page %s holds %s', async (query, expected, pagination) => {
    const answer = await list(query)
    expect(answer.names).toEqual(expected)
    expect(answer.pagination).toMatchObject(pagination)
  })

  test('the built-in prices have a rate for every model of runtime_alpha and for none of runtime_beta', async () => {
    const models = (await app.get('/configs')).body.runtime_models
    const idsOf = (runtime: string) => models[runtime].models.map(({ id }: { id: string }) => id).toSorted()
    for (const runtime of ['runtime_alpha', 'runtime_beta'])
      for (const model of idsOf(runtime))
        await insertUsage(app.pool, { model, agent_runtime: runtime, called_at: new Date('2025-08-01T10:00:00Z') })
    const { body } = await app.get('/costs?from=2025-08-01&to=2025-08-02')
    expect(body.unpriced_models).toEqual(idsOf('runtime_beta'))
    expect(body.by_runtime).toMatchObject([
      { agent_runtime: 'runtime_alpha', cost_usd: expect.any(Number), api_calls: idsOf('runtime_alpha').length },
      {
        agent_runtime: 'runtime_beta',
        cost_usd: 0,
        tokens: expect.any(Number),
        api_calls: idsOf('runtime_beta').length,
      },
    ])
    expect(body.by_runtime[1].tokens).toBeGreaterThan(0)
  })

  test('a subagent filter that is no boolean answers 422 Invalid parameter', async () => {
    expect(await app.get('/costs/records?subagent=perhaps')).toMatchObject({
      status: 422,
      body: { error: 'Invalid parameter', messages: ['Subagent must be true or false'] },
    })
  })
})
