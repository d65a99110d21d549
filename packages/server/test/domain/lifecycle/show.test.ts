import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

describe('GET /sessions/:id answers 200', () => {
  test('GET /sessions/:id answers 200 with exactly five top-level keys', async () => {
    const id = await insertSession(app.pool, { title: 'Tidy' })
    const { status, body } = await app.get(`/sessions/${id}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'session',
      'status_summary',
      'session_hierarchy',
      'human_messages',
      'human_message_capture_gaps',
    ])
    expect(body.session.id).toBe(id)
    expect(body.status_summary).toBeNull()
    expect(body.human_messages).toEqual([])
    expect(body.human_message_capture_gaps).toEqual([])
  })

  test('GET /sessions/:id answers 200 with a hierarchy of one node for a session without relatives', async () => {
    const id = await insertSession(app.pool, { title: 'Tidy', status: 'needs_input' })
    const { body } = await app.get(`/sessions/${id}`)
    expect(body.session_hierarchy).toEqual({
      origin_session_id: id,
      root_session_ids: [id],
      truncated: false,
      truncation_reason: null,
      nodes: [
        {
          id,
          title: 'Tidy',
          agent_root: null,
          status: 'needs_input',
          depth: 0,
          parent_session_id: null,
          render_parent_session_id: null,
          spawn_edge: true,
          uncle_session_ids: [],
          current: true,
          genesis: 'api',
          priority_class: 'spot',
        },
      ],
    })
  })

  test('GET /sessions/:id answers 200 for a slug as well as for an id', async () => {
    const id = await insertSession(app.pool, { slug: 'by-slug-20260822-1809' })
    expect((await app.get('/sessions/by-slug-20260822-1809')).body).toEqual((await app.get(`/sessions/${id}`)).body)
  })

  test('GET /sessions/:id answers 200 and reads digits as an id, also with leading zeros', async () => {
    const id = await insertSession(app.pool)
    expect((await app.get(`/sessions/000${id}`)).body.session.id).toBe(id)
  })

  test('GET /sessions/:id answers 200 for an archived session and for a summary fork', async () => {
    const archived = await insertSession(app.pool, { status: 'archived', archived_at: '2026-08-22T18:09:42.999Z' })
    const fork = await insertSession(app.pool, { summary_of_session_id: archived })
    expect((await app.get(`/sessions/${archived}`)).body.session).toMatchObject({
      status: 'archived',
      archived_at: '2026-08-22T18:09:42Z',
    })
    expect((await app.get(`/sessions/${fork}`)).status).toBe(200)
  })

  test('GET /sessions/:id answers 200 with four keys of the category', async () => {
    const { category } = (await app.post('/categories', { name: 'Upkeep', is_frozen: true })).body
    const id = await insertSession(app.pool, { category_id: category.id })
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      category_id: category.id,
      category: { id: category.id, name: 'Upkeep', position: category.position, is_frozen: true },
    })
    expect(Object.keys((await app.get(`/sessions/${id}`)).body.session.category)).toEqual([
      'id',
      'name',
      'position',
      'is_frozen',
    ])
  })

  test('GET /sessions/:id answers 200 with effective_visibility visible after a snooze ended, and the stored visibility unchanged', async () => {
    const over = await insertSession(app.pool, { visibility: 'snoozed', snoozed_until: '2020-01-01T00:00:00Z' })
    const ahead = await insertSession(app.pool, { visibility: 'snoozed', snoozed_until: '2999-01-01T00:00:00Z' })
    const hidden = await insertSession(app.pool, { visibility: 'hidden' })
    expect((await app.get(`/sessions/${over}`)).body.session).toMatchObject({
      visibility: 'snoozed',
      effective_visibility: 'visible',
      snoozed_until: '2020-01-01T00:00:00Z',
    })
    expect((await app.get(`/sessions/${ahead}`)).body.session.effective_visibility).toBe('snoozed')
    expect((await app.get(`/sessions/${hidden}`)).body.session.effective_visibility).toBe('hidden')
  })

  test('GET /sessions/:id answers 200 with selected and then injected servers in all_mcp_servers, each once', async () => {
    const id = await insertSession(app.pool, {
      mcp_servers: ['docs', 'self-session'],
      injected_mcp_servers: ['self-session', 'subagents'],
    })
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      mcp_servers: ['docs', 'self-session'],
      injected_mcp_servers: ['self-session', 'subagents'],
      all_mcp_servers: ['docs', 'self-session', 'subagents'],
    })
  })

  test('GET /sessions/:id answers 200 with the explicit class as priority_class', async () => {
    const id = await insertSession(app.pool, { scheduling_class: 'priority' })
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      genesis: 'api',
      scheduling_class: 'priority',
      priority_class: 'priority',
    })
  })

  test('GET /sessions/:id answers 200 and reading a session changes nothing', async () => {
    const id = await insertSession(app.pool)
    await changesNothing(app.pool, () => app.get(`/sessions/${id}?include_transcript=true`))
  })
})

describe('GET /sessions/:id?include_transcript', () => {
  test('GET /sessions/:id?include_transcript adds the stored lines to the session as one string, each with its line break', async () => {
    const id = await insertSession(app.pool)
    const lines = ['{"b":1,  "a":"ü 🚂"}', 'not json', '{"n":3}']
    await insertTranscript(app.pool, id, lines)
    await insertTranscript(app.pool, id, ['{"sub":1}'], 'agent-1')
    const { body } = await app.get(`/sessions/${id}?include_transcript=true`)
    expect(body.session.transcript).toBe('{"b":1,  "a":"ü 🚂"}\nnot json\n{"n":3}\n')
    expect(Object.keys(body)).toHaveLength(5)
  })

  test('GET /sessions/:id?include_transcript adds null for a session without a transcript', async () => {
    const id = await insertSession(app.pool)
    expect((await app.get(`/sessions/${id}?include_transcript=true`)).body.session.transcript).toBeNull()
  })

  test.each(['', '?include_transcript=', '?include_transcript=false', '?include_transcript=0'])(
    'GET /sessions/:id?include_transcript adds no transcript key for the query %j',
    async (query) => {
      const id = await insertSession(app.pool)
      await insertTranscript(app.pool, id, ['{"n":1}'])
      expect((await app.get(`/sessions/${id}${query}`)).body.session).not.toHaveProperty('transcript')
    },
  )

  test.each(['maybe', 'constructor', '__proto__'])(
    'GET /sessions/:id?include_transcript answers 422 for %s',
    async (value) => {
      const id = await insertSession(app.pool)
      expectProblem(
        await app.get(`/sessions/${id}?include_transcript=${value}`),
        422,
        'Invalid parameter',
        'Include transcript must be true or false',
      )
    },
  )
})

describe('GET /sessions/:id answers 404', () => {
  test.each([
    ['an unknown id', '999999'],
    ['zero', '0'],
    ['an id of 16 digits', '9007199254740993'],
    ['an id of 20 digits', '99999999999999999999'],
    ['an id of 250 digits', '9'.repeat(250)],
    ['an unknown slug', 'no-such-session-20260822-1809'],
    ['a slug beyond the length limit', 'x'.repeat(5000)],
    ['digits with a word behind them', '1-tidy'],
    ['a negative number', '-1'],
    ['a NUL', '%00'],
    ['a NUL inside a slug', 'tidy%00'],
    ['half a surrogate pair', '%ed%a0%bd'],
    ['letters outside the alphabet of slugs', 'T%C3%BCr%20%27%22%3B--'],
    ['full-width digits, which do not count as digits', '%EF%BC%91'],
  ])('GET /sessions/:id answers 404 for an unknown session: %s', async (_what, id) => {
    await insertSession(app.pool)
    expectProblem(await app.get(`/sessions/${id}`), 404, 'Not Found', 'The requested resource was not found')
  })

  test('GET /sessions/:id answers 404 for the id of a session with a suffix or a sign', async () => {
    const id = await insertSession(app.pool)
    expect((await app.get(`/sessions/${id}x`)).status).toBe(404)
    expect((await app.get(`/sessions/${id}.0`)).status).toBe(404)
    expect((await app.get(`/sessions/+${id}`)).status).toBe(404)
  })
})

test('GET /sessions/:id answers 401 without a key', async () => {
  expect((await app.send('/api/v1/sessions/1')).status).toBe(401)
})
