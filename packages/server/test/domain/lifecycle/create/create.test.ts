import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp, testKey } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { emptyTables } from '../../../support/database/empty-tables.ts'

// Without a worker, so that no job consumes the rows that a create wrote.
const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'events')
  await app.pool.query(`delete from graphile_worker._private_jobs`)
  await app.pool.query(`update settings set default_runtime = 'demo', default_model = null`)
})

const request = { git_root: '/srv/repositories/widgets', agent_runtime: 'demo' }

async function jobs(): Promise<string[]> {
  const { rows } = await app.pool.query(`
    select tasks.identifier
    from graphile_worker._private_jobs jobs
    join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
  `)
  return rows.map(({ identifier }) => identifier)
}

describe('POST /sessions answers 201', () => {
  test('POST /sessions answers 201 with exactly the fields of the contract, each at its default', async () => {
    const { status, body } = await app.post('/sessions', request)
    expect(status).toBe(201)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(body).toEqual({
      session: {
        id: 1,
        slug: null,
        title: 'Session 1',
        status: 'waiting',
        agent_runtime: 'demo',
        prompt: null,
        git_root: '/srv/repositories/widgets',
        branch: 'main',
        subdirectory: null,
        goal: null,
        mcp_servers: [],
        all_mcp_servers: [],
        injected_mcp_servers: [],
        catalog_skills: [],
        catalog_hooks: [],
        catalog_plugins: [],
        config: { model: 'demo' },
        metadata: { auto_generated_title: true },
        custom_metadata: {},
        is_autonomous: true,
        heartbeat_enabled: false,
        heartbeat_interval_seconds: 60,
        auto_compact_window: 1_000_000,
        genesis: 'api',
        scheduling_class: null,
        priority_class: 'spot',
        category_id: null,
        category: null,
        session_id: null,
        job_id: null,
        running_job_id: null,
        archived_at: null,
        trash_after: null,
        created_at: time,
        updated_at: time,
        session_notes: null,
        session_notes_updated_at: null,
        favorited: false,
        visibility: 'visible',
        effective_visibility: 'visible',
        snoozed_until: null,
        precedence: 0,
        idempotency_key: null,
      },
    })
    expect(Date.parse(body.session.created_at)).toBeGreaterThan(Date.now() - 600_000)
    expect(Date.parse(body.session.created_at)).toBeLessThan(Date.now() + 600_000)
  })

  test('POST /sessions answers 201 and stores every accepted key as it was sent', async () => {
    const sent = {
      agent_runtime: 'demo',
      git_root: 'https://forge.example/acme/widgets.git',
      branch: 'feature/retry-loop',
      subdirectory: 'packages/client',
      title: 'Tidy the retry loop',
      slug: 'tidy',
      prompt: '  Make it give up\nafter five tries. ',
      custom_metadata: { ticket: 'W-17' },
      idempotency_key: 'c1c6b1b0',
    }
    const { status, body } = await app.post('/sessions', { ...sent, config: { model: 'demo', temperature: 0.5 } })
    expect(status).toBe(201)
    expect(body.session).toMatchObject({ ...sent, config: { model: 'demo', temperature: 0.5 } })
    expect(body.session).toEqual((await app.get(`/sessions/${body.session.id}`)).body.session)
  })

  test('POST /sessions answers 201 after it has stored the first turn and its job, if there is a prompt', async () => {
    const { body } = await app.post('/sessions', { ...request, prompt: 'say hello' })
    const { rows: turns } = await app.pool.query('select id, session_id, sequence, source, prompt, state from turns')
    expect(turns).toEqual([
      { id: body.session.job_id, session_id: '1', sequence: 1, source: 'create', prompt: 'say hello', state: 'queued' },
    ])
    expect(body.session).toMatchObject({ status: 'waiting', running_job_id: body.session.job_id })
    expect(body.session.job_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(await jobs()).toEqual(['admit_turns'])
  })

  test.each([[undefined], [null], [''], ['  \n\t ']])(
    'POST /sessions answers 201 and stores no turn for the prompt %j',
    async (prompt) => {
      const { status, body } = await app.post('/sessions', { ...request, prompt })
      expect(status).toBe(201)
      expect(body.session).toMatchObject({ status: 'waiting', prompt: null, job_id: null, running_job_id: null })
      expect((await app.pool.query('select from turns')).rowCount).toBe(0)
      expect(await jobs()).toEqual([])
    },
  )

  test('POST /sessions answers 201 and publishes session.created', async () => {
    await app.post('/sessions', request)
    const { rows } = await app.pool.query('select name, session_id from events')
    expect(rows).toEqual([{ name: 'session.created', session_id: '1' }])
  })

  test('POST /sessions answers 201 and ignores execution_provider', async () => {
    const { status, body } = await app.post('/sessions', { ...request, execution_provider: 'local' })
    expect(status).toBe(201)
    expect(body.session).not.toHaveProperty('execution_provider')
    expect(JSON.stringify((await app.get('/sessions/1')).body)).not.toContain('execution_provider')
  })

  test('POST /sessions answers 201 and ignores fields that only the service may set', async () => {
    const { status, body } = await app.post('/sessions', {
      ...request,
      id: 99,
      status: 'running',
      genesis: 'web_ui',
      metadata: { clone_path: '/etc' },
      session_id: 'mine',
      job_id: 'mine',
      created_at: '2020-01-01T00:00:00Z',
      favorited: true,
      visibility: 'hidden',
      category_id: 5,
    })
    expect(status).toBe(201)
    expect(body.session).toMatchObject({
      id: 1,
      status: 'waiting',
      genesis: 'api',
      metadata: { auto_generated_title: true },
      session_id: null,
      job_id: null,
      favorited: false,
      visibility: 'visible',
      category_id: null,
    })
    expect(body.session.created_at).not.toBe('2020-01-01T00:00:00Z')
  })

  test.each([
    'https://forge.example/acme/widgets.git',
    'http://localhost:8080/acme/widgets',
    'ssh://git@forge.example:2222/acme/widgets.git',
    'git@forge.example:acme/widgets.git',
    'file:///srv/repositories/widgets',
    '/srv/with blanks/widgets',
  ])('POST /sessions answers 201 for the git_root %s, and stores it as sent', async (git_root) => {
    const { status, body } = await app.post('/sessions', { ...request, git_root })
    expect([status, body.session.git_root]).toEqual([201, git_root])
  })

  test.each([[undefined], [null], ['']])(
    'POST /sessions answers 201 and stores the branch main for the branch %j',
    async (branch) => {
      expect((await app.post('/sessions', { ...request, branch })).body.session.branch).toBe('main')
    },
  )

  test.each([[null], ['']])('POST /sessions answers 201 and stores no subdirectory for %j', async (subdirectory) => {
    expect((await app.post('/sessions', { ...request, subdirectory })).body.session.subdirectory).toBeNull()
  })
})

describe('the model of a new session', () => {
  const model = async (body: Record<string, unknown>) =>
    (await app.post('/sessions', { ...request, ...body })).body.session.config

  test('the model of a new session is the one in the request', async () => {
    expect(await model({ config: { model: 'demo' } })).toEqual({ model: 'demo' })
  })

  test.each([[undefined], [null], [{}], [{ model: null }]])(
    'the model of a new session is the default for the config %j',
    async (config) => {
      expect(await model({ config })).toEqual({ model: 'demo' })
    },
  )

  test('the model of a new session is the default of the runtime if the setting names a model of another runtime', async () => {
    await app.pool.query(`update settings set default_model = 'gone-large'`)
    expect(await model({})).toEqual({ model: 'demo' })
  })

  test.each([['alpha-large'], [''], ['Demo'], [5], [true], [['demo']], [{ id: 'demo' }]])(
    'the model of a new session is rejected with 422 if it is %j, and nothing changes',
    async (requested) => {
      const answer = await changesNothing(app.pool, () =>
        app.post('/sessions', { ...request, prompt: 'say hello', config: { model: requested } }),
      )
      expectProblem(
        answer,
        422,
        'Invalid model',
        `Model ${JSON.stringify(requested)} is not a model of demo; valid: demo`,
      )
    },
  )

  test('the model of a new session is not taken from a key named __proto__', async () => {
    const answer = await send('{"git_root": "/srv/w", "config": {"__proto__": {"model": "alpha-large"}}}')
    expect(answer.status).toBe(201)
    expect(canonical(answer.body.session.config)).toEqual(
      canonical(JSON.parse('{"__proto__": {"model": "alpha-large"}, "model": "demo"}')),
    )
  })
})

describe('the runtime of a new session', () => {
  test.each([[undefined], [null], ['']])(
    'the runtime of a new session is the default_runtime of the settings if the request has %j',
    async (agent_runtime) => {
      const { body } = await app.post('/sessions', { git_root: request.git_root, agent_runtime })
      expect(body.session.agent_runtime).toBe('demo')
    },
  )

  test('the runtime of a new session is the first registered runtime if the settings name none', async () => {
    await app.pool.query('update settings set default_runtime = null')
    const { session } = (await app.post('/sessions', { git_root: request.git_root })).body
    await app.pool.query("update settings set default_runtime = 'demo'")
    expect(session.agent_runtime).toBe('runtime_alpha')
  })
})

describe('the warnings of POST /sessions', () => {
  test('the warnings of POST /sessions are absent for a request without problems', async () => {
    expect(await app.post('/sessions', request)).not.toHaveProperty('body.warnings')
  })

  test('say that the default runtime is the demo agent', async () => {
    const { body } = await app.post('/sessions', { git_root: request.git_root })
    expect(body.warnings).toEqual([expect.stringContaining('demo agent')])
  })

  test('say that other callers can read credentials in git_root, without showing them', async () => {
    const git_root = 'https://user:secret@forge.example/acme/widgets.git'
    const { body } = await app.post('/sessions', { ...request, git_root })
    expect(body.warnings).toEqual([expect.stringContaining('credentials')])
    expect(body.warnings[0]).not.toContain('secret')
  })
})

describe('POST /sessions stores hostile keys and values unchanged', () => {
  const hostile = `{
    "__proto__": {"polluted": true, "__proto__": {"deeper": [1, {"__proto__": null}]}},
    "constructor": {"prototype": {"polluted": true}},
    "toString": "text", "hasOwnProperty": null, "then": "not a promise", "toJSON": {"a": 1},
    "": "an empty key", " ": 0, "0": "digits", "a.b[c]": [], "key \\"quoted\\" \\\\ \\n": {},
    "🚂": "😀\\u2028\\uffff", "ключ": ["значение", "القيمة"],
    "numbers": [0, -1.5, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740991],
    "deep": [[[[[[[[{"a": [{"b": [null, true, false]}]}]]]]]]]],
    "$where": "1", "injected_mcp_servers": ["mine"], "sql": "'; drop table sessions; --"
  }`

  test('POST /sessions stores hostile keys and values unchanged in custom_metadata', async () => {
    const answer = await send(`{"git_root": "/srv/w", "custom_metadata": ${hostile}}`)
    expect(answer.status).toBe(201)
    const expected = canonical(JSON.parse(hostile))
    expect(canonical(answer.body.session.custom_metadata)).toEqual(expected)
    const shown = (await app.get(`/sessions/${answer.body.session.id}`)).body.session
    expect(canonical(shown.custom_metadata)).toEqual(expected)
    expect(shown.injected_mcp_servers).toEqual([])
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('POST /sessions stores hostile keys and values unchanged in config, with the model added', async () => {
    const answer = await send(`{"git_root": "/srv/w", "config": ${hostile}}`)
    expect(answer.status).toBe(201)
    const expected = canonical({ ...JSON.parse(hostile), model: 'demo' })
    expect(canonical(answer.body.session.config)).toEqual(expected)
  })
})

test('POST /sessions answers 401 without a key and changes nothing', async () => {
  const response = await changesNothing(app.pool, () =>
    app.send('/api/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, prompt: 'say hello' }),
    }),
  )
  expect(response.status).toBe(401)
})

/** Sends the body as text: an object literal cannot hold an own key named `__proto__`. */
async function send(body: string) {
  const response = await app.send('/api/v1/sessions', {
    method: 'POST',
    headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** Objects as sorted pairs, so that `__proto__` is compared like any other key. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([key, entry]) => [key, canonical(entry)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}
