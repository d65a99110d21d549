import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { indexAll } from '../../support/sessions/search-index.ts'
import { insertSession, insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'search_marks')
})

const search = (q: string, more = '') => app.get(`/sessions/search?q=${encodeURIComponent(q)}${more}`)

/** Titles found before and after indexing; both must be equal. */
async function found(q: string, more = ''): Promise<string[]> {
  const before = await search(q, more)
  await indexAll(app)
  const after = await search(q, more)
  expect(before.status).toBe(200)
  expect(after.body).toEqual(before.body)
  expect(after.body.pagination.total_count).toBe(after.body.sessions.length)
  return after.body.sessions.map(({ title }: { title: string }) => title)
}

describe('GET /sessions/search answers 400', () => {
  test.each(['', '?q=', '?q=%20%20', '?query=%20', '?q=&query='])(
    'GET /sessions/search answers 400 without a phrase: %j',
    async (query) => {
      expectProblem(await app.get(`/sessions/search${query}`), 400, 'Missing parameter', 'q (search query) is required')
    },
  )

  test('GET /sessions/search answers 400 to a phrase of more than 1000 characters after trimming', async () => {
    expectProblem(await search('x'.repeat(1001)), 400, 'Query too long', 'Maximum query length is 1000 characters')
    expect((await search(` ${'x'.repeat(1000)} `)).status).toBe(200)
    expect((await search('😀'.repeat(1000))).status).toBe(200)
  })
})

describe('GET /sessions/search answers 422', () => {
  test.each(['q=a&search_contents=maybe', 'q=a&show_archived=maybe', 'q=a%00b', 'q=a&q=b'])(
    'GET /sessions/search answers 422 to %j',
    async (query) => {
      expectProblem(await app.get(`/sessions/search?${query}`), 422, 'Invalid parameter')
    },
  )
})

test('GET /sessions/search answers 401 without a key', async () => {
  expect((await app.send('/api/v1/sessions/search?q=a')).status).toBe(401)
})

describe('GET /sessions/search answers 200', () => {
  test('GET /sessions/search answers 200 with an empty page when nothing matches', async () => {
    await insertSession(app.pool, { title: 'One' })
    expect((await search('two')).body).toEqual({
      query: 'two',
      search_contents: false,
      sessions: [],
      pagination: { page: 1, per_page: 25, total_count: 0, total_pages: 0 },
    })
  })

  test('GET /sessions/search finds one title among hundreds of similar ones, with and without a distinctive word', async () => {
    const titles = Array.from({ length: 400 }, (_, n) => ({ title: `An errand number 100200 for wagon ${n}.` }))
    await insertSessions(app.pool, [...titles, { title: 'An errand number 777888 for wagon 7.' }])
    expect(await found('errand number 777888 for')).toEqual(['An errand number 777888 for wagon 7.'])
    expect(await found('100200 for wagon 7.')).toEqual(['An errand number 100200 for wagon 7.'])
  })

  test('the phrase is trimmed, `query` is another name for it, and `q` wins unless it is blank', async () => {
    await insertSession(app.pool, { title: 'Ship it' })
    for (const query of ['q=%20ship%20it%20', 'query=ship%20it', 'q=ship%20it&query=zzz', 'q=%20&query=ship%20it']) {
      const { body } = await app.get(`/sessions/search?${query}`)
      expect({ query: body.query, count: body.sessions.length }).toEqual({ query: 'ship it', count: 1 })
    }
  })

  test('a found session has the same shape as in GET /sessions/{id}', async () => {
    const id = await insertSession(app.pool, { title: 'The same' })
    const shown = await app.get(`/sessions/${id}`)
    expect((await search('the same')).body.sessions).toEqual([shown.body.session])
  })

  test('titles, metadata and custom metadata are searched, and nothing else', async () => {
    await insertSessions(app.pool, [
      { title: 'a needle in the title' },
      { title: 'metadata', metadata: { note: 'needle' } },
      { title: 'custom', custom_metadata: { needle: 1 } },
      { title: 'not', slug: 'needle', prompt: 'needle', goal: 'needle', session_notes: 'needle', git_root: '/needle' },
      { title: null, config: { model: 'needle' } },
    ])
    expect((await found('needle')).sort()).toEqual(['a needle in the title', 'custom', 'metadata'])
  })

  test('GET /sessions/search matches one literal phrase, ignoring case', async () => {
    const titles = [
      '50% off',
      '500 off',
      'a_b',
      'aXb',
      'back\\slash',
      'backslash',
      'Fix the Login page',
      'login the fix',
    ]
    await insertSessions(
      app.pool,
      [...titles, 'ÉCOLE Straße', 'ΟΔΟΣΑ', '日本語の題', 'x😀y'].map((title) => ({ title })),
    )
    expect(await found('50%')).toEqual(['50% off'])
    expect(await found('A_B')).toEqual(['a_b'])
    expect(await found('back\\')).toEqual(['back\\slash'])
    expect(await found('fix THE login')).toEqual(['Fix the Login page'])
    expect(await found('fix login')).toEqual([])
    expect(await found('école STRASSE')).toEqual([])
    expect(await found('école sTRAßE')).toEqual(['ÉCOLE Straße'])
    expect(await found('οδος')).toEqual(['ΟΔΟΣΑ'])
    expect(await found('本語')).toEqual(['日本語の題'])
    expect(await found('😀')).toEqual(['x😀y'])
    expect(await found('%')).toEqual(['50% off'])
    expect(await found('_')).toEqual(['a_b'])
  })

  test('a phrase does not match across two fields', async () => {
    await insertSession(app.pool, { title: 'end', metadata: { a: 1 }, custom_metadata: { b: 2 } })
    expect(await found('end{')).toEqual([])
    expect(await found('}{')).toEqual([])
  })

  test('GET /sessions/search matches JSON as the database writes it, with or without spaces', async () => {
    const custom_metadata = { bb: 'two,three', a: 'one', nested: { list: [1, 2] }, quote: 'say "hi"', é: '\u00e9' }
    await insertSession(app.pool, { title: 'json', custom_metadata })
    for (const phrase of [
      '"a":"one"',
      '"a": "one"',
      '"bb":"two,three"',
      '"bb": "two,three"',
      '"list":[1,2]',
      '"list": [1, 2]',
      '"nested":{"list":[1,2]}',
      // jsonb sorts shorter keys first.
      '"a":"one","bb"',
      '"é":"É"',
      'say \\"hi\\"',
    ])
      expect({ phrase, titles: await found(phrase) }).toEqual({ phrase, titles: ['json'] })
    expect(await found('"bb":"two,three","a"')).toEqual([])
  })

  test('GET /sessions/search accepts the filters of the list, and never finds summary forks', async () => {
    const archived = { status: 'archived', archived_at: '2026-08-01T00:00:00Z' }
    const ids = await insertSessions(app.pool, [
      { title: 'plain x' },
      { title: 'archived x', ...archived },
      { title: 'running x', status: 'running', agent_runtime: 'other', genesis: 'schedule' },
      { title: 'hidden x', visibility: 'hidden', scheduling_class: 'spot' },
    ])
    await insertSession(app.pool, { title: 'summary x', summary_of_session_id: ids[0] })
    expect(await found('x')).toEqual(['hidden x', 'running x', 'plain x'])
    expect(await found('x', '&show_archived=true')).toHaveLength(4)
    expect(await found('x', '&status=archived')).toEqual(['archived x'])
    expect(await found('x', '&status=running')).toEqual(['running x'])
    expect(await found('x', '&agent_runtime=other')).toEqual(['running x'])
    expect(await found('x', '&genesis=schedule')).toEqual(['running x'])
    expect(await found('x', '&genesis=nonsense')).toHaveLength(3)
    expect(await found('x', '&visibility=off_board')).toEqual(['hidden x'])
    expect(await found('x', '&priority_class=spot&status=waiting')).toContain('hidden x')
  })

  test('pages are newest first with exact totals', async () => {
    await insertSessions(
      app.pool,
      Array.from({ length: 7 }, (_, n) => ({ title: `Page ${n}`, created_at: `2026-01-0${n + 1}T00:00:00Z` })),
    )
    const { body } = await search('page', '&per_page=3&page=2')
    expect(body.sessions.map(({ title }: { title: string }) => title)).toEqual(['Page 3', 'Page 2', 'Page 1'])
    expect(body.pagination).toEqual({ page: 2, per_page: 3, total_count: 7, total_pages: 3 })
  })

  test('GET /sessions/search finds a change at once, indexed or not', async () => {
    const id = await insertSession(app.pool, { title: 'before' })
    await indexAll(app)
    await app.patch(`/sessions/${id}`, { title: 'after', custom_metadata: { k: 'v' } })
    expect(await found('before')).toEqual([])
    expect(await found('after')).toEqual(['after'])
    expect(await found('"k":"v"')).toEqual(['after'])
    await app.delete(`/sessions/${id}`)
    expect(await found('after')).toEqual([])
  })

  test('no session can have the slug "search", which this path needs', async () => {
    const answer = await app.post('/sessions', { git_root: '/srv/x', slug: 'search' })
    expectProblem(answer, 422, 'Validation failed', 'Slug is reserved')
  })
})
