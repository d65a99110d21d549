import { beforeEach, describe, expect, test } from 'vitest'
import { models } from '../../../src/runtimes/alpha/models.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await app.pool.query('delete from settings')
  await app.pool.query(`insert into settings (default_runtime) values ('demo')`)
  await emptyTables(app.pool, 'events', 'sessions')
})

const read = async () => (await app.get('/settings')).body.settings

describe('PATCH /settings answers 200', () => {
  const good: [string, unknown][] = [
    ['default_runtime', null],
    ['default_model', 'demo'],
    ['spot_gating_enabled', false],
    ['spot_max_concurrent_sessions', 1],
    ['spot_max_concurrent_sessions', 100],
    ['spot_gate_five_hour_threshold_pct', 0],
    ['spot_gate_five_hour_threshold_pct', 100],
    ['spot_gate_weekly_threshold_pct', 0],
    ['spot_gate_weekly_threshold_pct', 100],
    ['genesis_class_overrides', { api: 'priority', web_ui: 'spot', unknown: 'spot' }],
    ['mcp_tool_search_enabled', false],
  ]
  test.each(good)('PATCH /settings sets %s to %j, and the rest stays', async (key, value) => {
    const before = await read()
    const { status, body } = await app.patch('/settings', { [key]: value })
    expect({ status, body }).toEqual({ status: 200, body: { settings: { ...before, [key]: value } } })
    expect(await read()).toEqual(body.settings)
  })

  test('PATCH /settings changes several keys together', async () => {
    const changes = { default_model: 'demo', spot_max_concurrent_sessions: 3, spot_gating_enabled: false }
    await app.patch('/settings', changes)
    expect(await read()).toMatchObject(changes)
  })

  test('the overrides are replaced as a whole', async () => {
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority' } })
    const { body } = await app.patch('/settings', { genesis_class_overrides: { web_ui: 'spot' } })
    expect(body.settings.genesis_class_overrides).toEqual({ web_ui: 'spot' })
  })

  test('an override that equals the default is not stored', async () => {
    const overrides = { api: 'spot', web_ui: 'spot', unknown: 'priority' }
    const { body } = await app.patch('/settings', { genesis_class_overrides: overrides })
    expect(body.settings.genesis_class_overrides).toEqual({ web_ui: 'spot' })
    expect((await read()).genesis_class_overrides).toEqual({ web_ui: 'spot' })
  })

  test('a default model can be cleared', async () => {
    await app.patch('/settings', { default_model: 'demo' })
    expect((await app.patch('/settings', { default_model: null })).body.settings.default_model).toBeNull()
  })

  test.each([
    ['an empty change', {}],
    ['unknown keys', { colour: 'red', only_row: false, updated_at: '2020-01-01T00:00:00Z' }],
    ['the place of Uncategorized, which only reordering moves', { uncategorized_position: 4 }],
  ])('PATCH /settings with %s changes nothing', async (_what, changes) => {
    const before = await read()
    const { status, body } = await changesNothing(app.pool, () => app.patch('/settings', changes))
    expect({ status, body }).toEqual({ status: 200, body: { settings: before } })
  })

  test('a stored runtime that is no longer registered does not block other changes', async () => {
    await app.pool.query(`update settings set default_runtime = 'gone', default_model = 'gone-large'`)
    const { status, body } = await app.patch('/settings', { spot_gating_enabled: false })
    expect(status).toBe(200)
    expect(body.settings).toMatchObject({ default_runtime: 'gone', spot_gating_enabled: false })
  })

  test('a deleted row of settings reads as the defaults of the database, and the next change makes it again', async () => {
    await app.pool.query('delete from settings')
    const defaults = await read()
    expect((await app.get('/board')).status).toBe(200)
    await app.pool.query('insert into settings default values')
    expect(await read()).toEqual(defaults)
    await app.pool.query('delete from settings')
    const changes = [{ default_runtime: 'demo' }, { spot_gating_enabled: false }]
    const answers = await Promise.all(changes.map((change) => app.patch('/settings', change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await read()).toEqual({ ...defaults, default_runtime: 'demo', spot_gating_enabled: false })
  })

  test('PATCH /settings publishes the names of the changed settings', async () => {
    await app.patch('/settings', { spot_gating_enabled: false, default_model: 'demo', colour: 'red' })
    const { rows } = await app.pool.query('select name, payload from events')
    expect(rows).toHaveLength(1)
    expect(rows[0].name).toBe('settings.changed')
    expect(rows[0].payload.changed.sort()).toEqual(['default_model', 'spot_gating_enabled'])
  })
})

/** The first registered runtime is the default. */
const alphaModels = models.map(({ id }) => id).join(', ')

describe('PATCH /settings answers 422 and changes nothing', () => {
  const bad: [string, Record<string, unknown>, string][] = [
    [
      'an unregistered runtime',
      { default_runtime: 'runtime_gamma' },
      'Default runtime runtime_gamma is not a valid agent runtime',
    ],
    ['a blank runtime', { default_runtime: '' }, 'Default runtime  is not a valid agent runtime'],
    ['a runtime that is a number', { default_runtime: 1 }, 'Default runtime must be a string'],
    [
      'a model the runtime does not have',
      { default_model: 'alpha-large' },
      'Default model alpha-large is not a model of demo; valid: demo',
    ],
    [
      'a model of no runtime at all',
      { default_runtime: null, default_model: 'alpha-large' },
      `Default model alpha-large is not a model of runtime_alpha; valid: ${alphaModels}`,
    ],
    ['gating in words', { spot_gating_enabled: 'no' }, 'Spot gating enabled must be true or false'],
    ['gating null', { spot_gating_enabled: null }, 'Spot gating enabled must be true or false'],
    [
      'no session at once',
      { spot_max_concurrent_sessions: 0 },
      'Spot max concurrent sessions must be greater than or equal to 1',
    ],
    [
      'too many sessions at once',
      { spot_max_concurrent_sessions: 101 },
      'Spot max concurrent sessions must be less than or equal to 100',
    ],
    ['half a session', { spot_max_concurrent_sessions: 1.5 }, 'Spot max concurrent sessions must be an integer'],
    ['a number in words', { spot_max_concurrent_sessions: '5' }, 'Spot max concurrent sessions is not a number'],
    [
      'a share below 0',
      { spot_gate_five_hour_threshold_pct: -1 },
      'Spot gate five hour threshold pct must be greater than or equal to 0',
    ],
    [
      'a share above 100',
      { spot_gate_weekly_threshold_pct: 101 },
      'Spot gate weekly threshold pct must be less than or equal to 100',
    ],
    [
      'an override to no class',
      { genesis_class_overrides: { api: 'urgent' } },
      'Genesis class overrides api must be one of: spot, priority',
    ],
    [
      'an override of a kind that its trigger decides about',
      { genesis_class_overrides: { chat: 'spot' } },
      'Genesis class overrides has unknown keys: chat',
    ],
    ['overrides that are a list', { genesis_class_overrides: [] }, 'Genesis class overrides must be an object'],
    ['overrides that are null', { genesis_class_overrides: null }, 'Genesis class overrides must be an object'],
    ['tool search null', { mcp_tool_search_enabled: null }, 'Mcp tool search enabled must be true or false'],
  ]
  test.each(bad)(
    'PATCH /settings answers 422 and changes nothing for a settings change with %s, also when its other fields are valid',
    async (_what, changes, message) => {
      const answer = await changesNothing(app.pool, () =>
        app.patch('/settings', { mcp_tool_search_enabled: false, spot_gate_weekly_threshold_pct: 50, ...changes }),
      )
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test('PATCH /settings answers 422 and changes nothing for an override named __proto__', async () => {
    const response = await changesNothing(app.pool, () =>
      app.send('/api/v1/settings', {
        method: 'PATCH',
        headers: { 'x-api-key': 'test-key', 'content-type': 'application/json' },
        body: '{"genesis_class_overrides": {"__proto__": {"api": "priority"}}}',
      }),
    )
    expect(response.status).toBe(422)
  })
})

test('PATCH /settings answers 401 without a key and changes nothing', async () => {
  const response = await changesNothing(app.pool, () =>
    app.send('/api/v1/settings', { method: 'PATCH', body: '{"spot_gating_enabled": false}' }),
  )
  expect(response.status).toBe(401)
})

describe('genesis_class_overrides', () => {
  const kinds = ['web_ui', 'chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'api', 'unknown']
  const classes = async (): Promise<Record<string, string>> => {
    const { sessions } = (await app.get('/sessions?per_page=100')).body
    return Object.fromEntries(
      sessions.map(({ genesis, priority_class }: Record<string, string>) => [genesis, priority_class]),
    )
  }
  const listed = async (wanted: string): Promise<string[]> =>
    (await app.get(`/sessions?priority_class=${wanted}&per_page=100`)).body.sessions
      .map(({ genesis }: { genesis: string }) => genesis)
      .sort()

  test('without overrides, people and unknown geneses are priority and machines are spot', async () => {
    for (const genesis of kinds) await insertSession(app.pool, { genesis })
    expect(await classes()).toEqual({
      web_ui: 'priority',
      chat: 'priority',
      forge_issue: 'spot',
      forge_label: 'spot',
      schedule: 'spot',
      ao_event: 'spot',
      api: 'spot',
      unknown: 'priority',
    })
  })

  test('an override applies to existing sessions, in answers and in filters', async () => {
    for (const genesis of kinds) await insertSession(app.pool, { genesis })
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority', web_ui: 'spot' } })
    expect(await classes()).toMatchObject({ api: 'priority', web_ui: 'spot', unknown: 'priority', chat: 'priority' })
    expect(await listed('priority')).toEqual(['api', 'chat', 'unknown'])
    expect(await listed('spot')).toEqual(['ao_event', 'forge_issue', 'forge_label', 'schedule', 'web_ui'])
    const id = await insertSession(app.pool, { genesis: 'api' })
    const shown = (await app.get(`/sessions/${id}`)).body
    expect(shown.session.priority_class).toBe('priority')
    expect(shown.session_hierarchy.nodes[0].priority_class).toBe('priority')
  })

  test('an override does not apply to a session with its own class', async () => {
    const id = await insertSession(app.pool, { genesis: 'api', scheduling_class: 'spot' })
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority' } })
    expect((await app.get(`/sessions/${id}`)).body.session.priority_class).toBe('spot')
    expect(await listed('priority')).toEqual([])
    expect(await listed('spot')).toEqual(['api'])
  })

  test('removing an override restores the class of the sessions', async () => {
    await insertSession(app.pool, { genesis: 'api' })
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority' } })
    await app.patch('/settings', { genesis_class_overrides: {} })
    expect(await classes()).toEqual({ api: 'spot' })
  })
})
