import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertSession, insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'categories')
})

const archived = { status: 'archived', archived_at: '2026-08-01T00:00:00Z' }

async function titles(query: string): Promise<string[]> {
  const { status, body } = await app.get(`/sessions${query}`)
  expect(status).toBe(200)
  expect(body.pagination.total_count).toBe(body.sessions.length)
  return body.sessions.map(({ title }: { title: string }) => title).sort()
}

describe('GET /sessions answers 200', () => {
  test('GET /sessions answers 200 with zero pages for an empty list', async () => {
    const { status, body } = await app.get('/sessions')
    expect({ status, body }).toEqual({
      status: 200,
      body: { sessions: [], pagination: { page: 1, per_page: 25, total_count: 0, total_pages: 0 } },
    })
  })

  test('GET /sessions answers 200 with each session as GET /sessions/:id answers it, without a transcript', async () => {
    const { category } = (await app.post('/categories', { name: 'Upkeep' })).body
    const id = await insertSession(app.pool, { title: 'Tidy', category_id: category.id })
    const { body } = await app.get('/sessions?include_transcript=true')
    expect(body.sessions).toEqual([(await app.get(`/sessions/${id}`)).body.session])
    expect(body.sessions[0]).not.toHaveProperty('transcript')
  })

  test('GET /sessions answers 200 and listing sessions changes nothing', async () => {
    await insertSession(app.pool)
    await changesNothing(app.pool, () => app.get('/sessions?show_archived=true'))
  })
})

describe('the order of GET /sessions', () => {
  test('the order of GET /sessions is newest first', async () => {
    const [older, newest, oldest] = await insertSessions(app.pool, [
      { created_at: '2026-08-02T00:00:00Z' },
      { created_at: '2026-08-03T00:00:00Z' },
      { created_at: '2026-08-01T00:00:00Z' },
    ])
    const { body } = await app.get('/sessions')
    expect(body.sessions.map(({ id }: { id: number }) => id)).toEqual([newest, older, oldest])
  })

  test('the order of GET /sessions compares microseconds, which the answer does not show', async () => {
    const [earlier, later] = await insertSessions(app.pool, [
      { created_at: '2026-08-02T00:00:00.000001Z' },
      { created_at: '2026-08-02T00:00:00.000002Z' },
    ])
    const { sessions } = (await app.get('/sessions')).body
    expect(sessions.map(({ id }: { id: number }) => id)).toEqual([later, earlier])
    expect(sessions[0].created_at).toBe(sessions[1].created_at)
  })

  test('the order of GET /sessions falls back to the id for equal times, so that pages neither repeat nor skip a session', async () => {
    const ids = await insertSessions(
      app.pool,
      Array.from({ length: 61 }, () => ({ created_at: '2026-08-02T00:00:00Z' })),
    )
    const seen: number[] = []
    for (const page of [1, 2, 3, 4, 5, 6, 7]) {
      const { body } = await app.get(`/sessions?per_page=10&page=${page}`)
      expect(body.pagination).toEqual({ page, per_page: 10, total_count: 61, total_pages: 7 })
      seen.push(...body.sessions.map(({ id }: { id: number }) => id))
    }
    expect(seen).toEqual(ids.toReversed())
  })
})

describe('the pages of GET /sessions', () => {
  beforeEach(async () => {
    await insertSessions(
      app.pool,
      Array.from({ length: 26 }, () => ({})),
    )
  })

  const pages: [query: string, expected: { page: number; per_page: number; total_pages: number; count: number }][] = [
    ['', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
    ['?page=2', { page: 2, per_page: 25, total_pages: 2, count: 1 }],
    ['?page=3', { page: 3, per_page: 25, total_pages: 2, count: 0 }],
    ['?per_page=26', { page: 1, per_page: 26, total_pages: 1, count: 26 }],
    ['?per_page=100', { page: 1, per_page: 100, total_pages: 1, count: 26 }],
    ['?per_page=101', { page: 1, per_page: 100, total_pages: 1, count: 26 }],
    ['?per_page=99999999999999999999', { page: 1, per_page: 100, total_pages: 1, count: 26 }],
    ['?per_page=0', { page: 1, per_page: 1, total_pages: 26, count: 1 }],
    ['?per_page=-5', { page: 1, per_page: 1, total_pages: 26, count: 1 }],
    ['?page=0', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
    ['?page=-7', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
    ['?page=abc&per_page=abc', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
    ['?page=&per_page=', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
    ['?page=1e3&per_page=0x10', { page: 1, per_page: 25, total_pages: 2, count: 25 }],
  ]
  test.each(pages)('the query %j gives the expected page and counts', async (query, { count, ...pagination }) => {
    const { status, body } = await app.get(`/sessions${query}`)
    expect(status).toBe(200)
    expect(body.pagination).toEqual({ ...pagination, total_count: 26 })
    expect(body.sessions).toHaveLength(count)
  })

  test.each(['9007199254740993', '99999999999999999999', '9'.repeat(400)])(
    'page %s is past the end and answers an empty list',
    async (page) => {
      const { status, body } = await app.get(`/sessions?per_page=100&page=${page}`)
      expect([status, body.sessions, body.pagination.total_count]).toEqual([200, [], 26])
    },
  )
})

describe('the filters of GET /sessions', () => {
  test.each(['waiting', 'running', 'needs_input', 'failed'])(
    'status=%s lists only sessions with that status',
    async (status) => {
      for (const each of ['waiting', 'running', 'needs_input', 'failed']) {
        await insertSession(app.pool, { title: each, status: each })
      }
      expect(await titles(`?status=${status}`)).toEqual([status])
    },
  )

  test('archived sessions are listed only with show_archived or status=archived', async () => {
    await insertSession(app.pool, { title: 'live' })
    await insertSession(app.pool, { title: 'archived', ...archived })
    expect(await titles('')).toEqual(['live'])
    expect(await titles('?show_archived=false')).toEqual(['live'])
    expect(await titles('?show_archived=true')).toEqual(['archived', 'live'])
    expect(await titles('?status=archived')).toEqual(['archived'])
    expect(await titles('?status=archived&show_archived=true')).toEqual(['archived'])
    expect(await titles('?status=waiting&show_archived=true')).toEqual(['live'])
  })

  test.each(['trash', 'sleeping', 'WAITING', 'waiting%20'])(
    'GET /sessions?status=%s matches nothing',
    async (status) => {
      await insertSession(app.pool, { title: 'live' })
      await insertSession(app.pool, { title: 'archived', ...archived })
      expect(await titles(`?status=${status}`)).toEqual([])
    },
  )

  test('agent_runtime matches exactly, and an unknown runtime matches nothing', async () => {
    await insertSession(app.pool, { title: 'demo' })
    await insertSession(app.pool, { title: 'alpha', agent_runtime: 'runtime_alpha' })
    expect(await titles('?agent_runtime=demo')).toEqual(['demo'])
    expect(await titles('?agent_runtime=runtime_alpha')).toEqual(['alpha'])
    for (const unknown of ['runtime_gamma', 'Demo', 'dem%25', 'constructor']) {
      expect(await titles(`?agent_runtime=${unknown}`)).toEqual([])
    }
  })

  test('priority_class compares the effective class', async () => {
    await insertSession(app.pool, { title: 'api' })
    await insertSession(app.pool, { title: 'web', genesis: 'web_ui' })
    await insertSession(app.pool, { title: 'api made priority', scheduling_class: 'priority' })
    await insertSession(app.pool, { title: 'web made spot', genesis: 'web_ui', scheduling_class: 'spot' })
    expect(await titles('?priority_class=spot')).toEqual(['api', 'web made spot'])
    expect(await titles('?priority_class=priority')).toEqual(['api made priority', 'web'])
  })

  test.each(['web_ui', 'chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'api', 'unknown'])(
    'genesis=%s lists only sessions of that genesis',
    async (genesis) => {
      for (const kind of ['web_ui', 'chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'api', 'unknown']) {
        await insertSession(app.pool, { title: kind, genesis: kind })
      }
      expect(await titles(`?genesis=${genesis}`)).toEqual([genesis])
    },
  )

  test.each([
    'priority_class=urgent',
    'priority_class=SPOT',
    'priority_class=',
    'genesis=mail',
    'genesis=',
    'genesis=__proto__',
    'visibility=hidden',
    'visibility=visible',
    'visibility=',
    'colour=red',
  ])('the unknown filter or value %s is ignored', async (filter) => {
    await insertSession(app.pool, { title: 'a' })
    await insertSession(app.pool, { title: 'b', genesis: 'web_ui', visibility: 'hidden' })
    expect(await titles(`?${filter}`)).toEqual(['a', 'b'])
  })

  test('visibility=on_board lists visible sessions and ended snoozes, off_board lists the rest', async () => {
    await insertSession(app.pool, { title: 'visible' })
    await insertSession(app.pool, { title: 'hidden', visibility: 'hidden' })
    await insertSession(app.pool, { title: 'snoozed', visibility: 'snoozed', snoozed_until: '2999-01-01T00:00:00Z' })
    await insertSession(app.pool, { title: 'woken', visibility: 'snoozed', snoozed_until: '2020-01-01T00:00:00Z' })
    expect(await titles('?visibility=on_board')).toEqual(['visible', 'woken'])
    expect(await titles('?visibility=off_board')).toEqual(['hidden', 'snoozed'])
    expect(await titles('')).toEqual(['hidden', 'snoozed', 'visible', 'woken'])
  })

  test('filters combine with AND, and the count covers only matching sessions', async () => {
    await insertSession(app.pool, { title: 'yes', status: 'failed', genesis: 'chat', visibility: 'hidden' })
    await insertSession(app.pool, { title: 'wrong status', genesis: 'chat', visibility: 'hidden' })
    await insertSession(app.pool, { title: 'wrong genesis', status: 'failed', visibility: 'hidden' })
    await insertSession(app.pool, { title: 'wrong board', status: 'failed', genesis: 'chat' })
    const all = '?status=failed&agent_runtime=demo&priority_class=priority&genesis=chat&visibility=off_board'
    expect(await titles(all)).toEqual(['yes'])
  })

  test('summary forks are never listed, archived or not', async () => {
    const id = await insertSession(app.pool, { title: 'original' })
    await insertSession(app.pool, { title: 'fork', summary_of_session_id: id })
    await insertSession(app.pool, { title: 'archived fork', summary_of_session_id: id, ...archived })
    expect(await titles('')).toEqual(['original'])
    expect(await titles('?show_archived=true')).toEqual(['original'])
    expect(await titles('?status=archived')).toEqual([])
  })

  test.each(['1', 'TRUE', 't', 'yes', 'on'])('GET /sessions reads show_archived=%s as true', async (value) => {
    await insertSession(app.pool, { title: 'archived', ...archived })
    expect(await titles(`?show_archived=${value}`)).toEqual(['archived'])
  })
})

describe('GET /sessions answers 422', () => {
  test.each(['maybe', '2', 'constructor', 'toString', '__proto__'])(
    'GET /sessions answers 422 for show_archived=%s, which is neither true nor false',
    async (value) => {
      expectProblem(
        await app.get(`/sessions?show_archived=${value}`),
        422,
        'Invalid parameter',
        'Show archived must be true or false',
      )
    },
  )

  test.each(['status', 'agent_runtime', 'genesis', 'page'])(
    'GET /sessions answers 422 for a NUL in %s',
    async (name) => {
      expectProblem(await app.get(`/sessions?${name}=%00`), 422, 'Invalid parameter')
    },
  )

  test('GET /sessions answers 422 for a filter that the query repeats', async () => {
    expectProblem(await app.get('/sessions?status=failed&status=waiting'), 422, 'Invalid parameter')
  })
})

test('GET /sessions answers 401 without a key', async () => {
  expect((await app.send('/api/v1/sessions')).status).toBe(401)
})
