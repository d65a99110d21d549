import { beforeAll, describe, expect, test } from 'vitest'
import { client, expectProblem } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { daily, newTrigger, triggerApp, yearly } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const create = (more: Record<string, unknown> = {}) => app.post('/triggers', newTrigger(more))

describe('POST /triggers', () => {
  test('answers 201 with every field', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toEqual({
      trigger: {
        id: expect.any(Number),
        name: 'Sweep',
        status: 'enabled',
        failed_at: null,
        last_error: null,
        agent_root_name: 'lab',
        agent_root_missing_from_catalog: false,
        unresolved_catalog_references: {},
        prompt_template: 'say {{text}}',
        goal: null,
        reuse_session: false,
        enqueue_messages: false,
        resuscitate_archived: false,
        skip_if_pending_session: false,
        skip_if_pending_session_inert: false,
        max_sessions_per_minute: null,
        bursting: false,
        burst_ends_at: null,
        suppressed_event_count: 0,
        coalesce_window_seconds: null,
        effective_coalesce_window_seconds: 60,
        coalesce_window_inert: false,
        missed_fire_count: 0,
        first_missed_fire_at: null,
        scheduling_class: null,
        effective_scheduling_class: 'spot',
        precedence: null,
        mcp_servers: [],
        catalog_skills: [],
        catalog_hooks: [],
        catalog_plugins: [],
        conditions: [
          {
            id: expect.any(Number),
            condition_type: 'schedule',
            configuration: daily.configuration,
            description: 'Every day at 03:00 (Europe/Vilnius)',
            next_run_at: expect.stringMatching(/T0[01]:00:00Z$/),
            last_triggered_at: null,
            last_polled_at: null,
          },
        ],
        last_session_id: null,
        made_by_session_id: null,
        last_triggered_at: null,
        sessions_created_count: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    })
  })

  test('stores every field that a caller may set, in the usual spellings', async () => {
    const id = await insertSession(app.pool)
    const { body } = await create({
      status: 'disabled',
      goal: 'be brief',
      reuse_session: 'true',
      enqueue_messages: 1,
      resuscitate_archived: true,
      skip_if_pending_session: true,
      max_sessions_per_minute: '3',
      coalesce_window_seconds: 0,
      scheduling_class: 'priority',
      precedence: '200',
      mcp_servers: ['tracker', 'tracker'],
      catalog_skills: ['tidy'],
      catalog_hooks: ['format'],
      catalog_plugins: ['kit'],
      session_id: String(id),
    })
    expect(body.trigger).toMatchObject({
      status: 'disabled',
      goal: 'be brief',
      reuse_session: true,
      enqueue_messages: true,
      resuscitate_archived: true,
      skip_if_pending_session: true,
      skip_if_pending_session_inert: true,
      max_sessions_per_minute: 3,
      coalesce_window_seconds: 0,
      effective_coalesce_window_seconds: 0,
      coalesce_window_inert: true,
      scheduling_class: 'priority',
      effective_scheduling_class: 'priority',
      precedence: 200,
      mcp_servers: ['tracker'],
      catalog_skills: ['tidy'],
      catalog_hooks: ['format'],
      catalog_plugins: ['kit'],
      last_session_id: id,
    })
    expect(body.trigger.conditions[0].next_run_at).toBeNull()
  })

  test('accepts the minimal body that wake tools send', async () => {
    const id = await insertSession(app.pool, { status: 'running' })
    const { status, body } = await app.post('/triggers', {
      name: 'Wake',
      agent_root_name: 'lab',
      prompt_template: 'go on',
      reuse_session: true,
      last_session_id: id,
      trigger_conditions_attributes: [yearly],
    })
    expect(status).toBe(201)
    expect(body.trigger).toMatchObject({ mcp_servers: [], catalog_skills: [], last_session_id: id })
  })

  test('clears the two flags that need re-use, and echoes the stored false', async () => {
    const { body } = await create({ enqueue_messages: true, resuscitate_archived: true })
    expect(body.trigger).toMatchObject({ enqueue_messages: false, resuscitate_archived: false })
  })

  test.each<[Record<string, unknown>, ...string[]]>([
    [{ name: ' ' }, "Name can't be blank"],
    [{ name: undefined }, "Name can't be blank"],
    [{ agent_root_name: '' }, "Agent root name can't be blank"],
    [{ prompt_template: '\n' }, "Prompt template can't be blank"],
    [{ name: '', prompt_template: '' }, "Name can't be blank", "Prompt template can't be blank"],
    [{ status: 'asleep' }, 'Status is not included in the list'],
    [{ max_sessions_per_minute: 0 }, 'Max sessions per minute must be greater than 0'],
    [{ max_sessions_per_minute: 1.5 }, 'Max sessions per minute must be an integer'],
    [{ max_sessions_per_minute: 'few' }, 'Max sessions per minute is not a number'],
    [{ coalesce_window_seconds: -1 }, 'Coalesce window seconds must be greater than or equal to 0'],
    [{ scheduling_class: 'fast' }, 'Scheduling class fast is not a known scheduling class'],
    [{ precedence: 1_000_000_001 }, 'Precedence must be less than or equal to 1000000000'],
    [{ reuse_session: 'perhaps' }, 'Reuse session must be true or false'],
    [{ mcp_servers: 'tracker' }, 'Mcp servers must be an array'],
    [{ mcp_servers: ['tracker', 'gone', 'lost'] }, 'Mcp servers contains invalid server(s): gone, lost'],
    [{ catalog_skills: ['gone'] }, 'Catalog skills contains invalid skill(s): gone'],
    [{ catalog_hooks: ['gone'] }, 'Catalog hooks contains invalid hook(s): gone'],
    [{ catalog_plugins: ['gone'] }, 'Catalog plugins contains invalid plugin(s): gone'],
    [{ reuse_session: true, last_session_id: 999_999 }, 'Last session must reference an existing session'],
    [
      { last_session_id: 999_998 },
      'Last session can only be set when re-use session is enabled',
      'Last session must reference an existing session',
    ],
    [{ name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters)'],
  ])('refuses %j with 422 and stores nothing', async (more, ...messages) => {
    const { rowCount: before } = await app.pool.query('select from triggers')
    expectProblem(await create(more), 422, 'Validation failed', ...messages)
    expect((await app.pool.query('select from triggers')).rowCount).toBe(before)
  })

  test('warns about what will not work as it stands', async () => {
    const { body } = await create({
      agent_root_name: 'nowhere',
      reuse_session: true,
      skip_if_pending_session: true,
      coalesce_window_seconds: 30,
      mcp_servers: ['dead'],
      status: 'disabled',
      trigger_conditions_attributes: [
        { condition_type: 'schedule', configuration: { scheduled_at: '2020-01-01T00:00', timezone: 'UTC' } },
      ],
    })
    expect(body.trigger.agent_root_missing_from_catalog).toBe(true)
    expect(body.warnings).toEqual([
      'The catalog has no agent root named nowhere; fires fail until it does.',
      'skip_if_pending_session is not read while a live session exists to re-use.',
      'coalesce_window_seconds has no effect without a chat condition.',
      'scheduled_at 2020-01-01T00:00:00 is in the past; the trigger fires as soon as possible.',
      'MCP server dead cannot start right now (Retired). The session runs without it until then.',
    ])
  })

  test('derives the class from the kinds of condition', async () => {
    const chat = { condition_type: 'chat', configuration: { channel_id: 'C1' } }
    const effective = async (conditions: unknown[]) =>
      (await create({ trigger_conditions_attributes: conditions })).body.trigger.effective_scheduling_class
    expect(await effective([daily])).toBe('spot')
    expect(await effective([daily, chat])).toBe('priority')
  })

  test('answers 401 without a key', async () => {
    const stranger = client(app.url, 'wrong')
    for (const answer of [
      await stranger.get('/triggers'),
      await stranger.post('/triggers', {}),
      await stranger.get('/triggers/1/fires'),
      await stranger.post('/triggers/1/invoke', {}),
    ])
      expect(answer.status).toBe(401)
  })
})

describe('GET /triggers', () => {
  const ids: Record<string, number> = {}
  beforeAll(async () => {
    await app.pool.query('delete from triggers')
    ids.daily = await app.trigger()
    ids.chat = await app.trigger({
      status: 'disabled',
      trigger_conditions_attributes: [{ condition_type: 'slack', configuration: { channel_id: 'C1' } }],
    })
    ids.both = await app.trigger({
      trigger_conditions_attributes: [
        daily,
        { condition_type: 'forge_label', configuration: { repos: ['a/b'], labels: ['x'] } },
      ],
    })
  })

  test.each<[string, string[]]>([
    ['', ['both', 'chat', 'daily']],
    ['?condition_type=schedule', ['both', 'daily']],
    ['?condition_type=chat', ['chat']],
    ['?condition_type=slack', ['chat']],
    ['?condition_type=github_label', ['both']],
    ['?condition_type=schedule&status=disabled', []],
    ['?status=disabled', ['chat']],
    ['?status=unheard', []],
    ['?condition_type=unheard', []],
    ['?per_page=1&page=2', ['chat']],
  ])('%s lists %j, newest first', async (query, names) => {
    const { status, body } = await app.get(`/triggers${query}`)
    expect(status).toBe(200)
    expect(body.triggers.map(({ id }: { id: number }) => id)).toEqual(names.map((name) => ids[name]))
    expect(body.pagination).toMatchObject({ total_count: query.includes('per_page') ? 3 : names.length })
  })
})

describe('GET /triggers/:id', () => {
  test('adds the ten newest sessions that it spawned', async () => {
    const id = await app.trigger()
    expect((await app.get(`/triggers/${id}`)).body.recent_sessions).toEqual([])
    const spawned: number[] = []
    for (let n = 0; n < 12; n += 1) {
      const metadata = { trigger_id: id }
      spawned.push(await insertSession(app.pool, { metadata, created_at: new Date(1_700_000_000_000 + n * 1000) }))
    }
    await insertSession(app.pool, { metadata: { trigger_id: id + 1 } })
    const { body } = await app.get(`/triggers/${id}`)
    expect(body.recent_sessions).toHaveLength(10)
    expect(body.recent_sessions[0]).toEqual({
      id: spawned[11],
      slug: null,
      title: null,
      status: 'waiting',
      created_at: '2023-11-14T22:13:31Z',
    })
  })

  test.each(['999999', 'channel', '0'])('answers 404 for %s', async (id) => {
    expectProblem(await app.get(`/triggers/${id}`), 404, 'Not Found')
    expectProblem(await app.patch(`/triggers/${id}`, { name: 'x' }), 404, 'Not Found')
    expectProblem(await app.delete(`/triggers/${id}`), 404, 'Not Found')
    expectProblem(await app.post(`/triggers/${id}/toggle`), 404, 'Not Found')
    expectProblem(await app.post(`/triggers/${id}/invoke`, {}), 404, 'Not Found')
    expectProblem(await app.get(`/triggers/${id}/fires`), 404, 'Not Found')
  })
})

describe('PATCH /triggers/:id', () => {
  test('changes only the keys that are sent, and wipes no list', async () => {
    const id = await app.trigger({ mcp_servers: ['tracker'], goal: 'stay', precedence: 3 })
    const { status, body } = await app.patch(`/triggers/${id}`, { name: 'Renamed' })
    expect(status).toBe(200)
    expect(body.trigger).toMatchObject({ name: 'Renamed', mcp_servers: ['tracker'], goal: 'stay', precedence: 3 })
    const cleared = await app.patch(`/triggers/${id}`, {
      mcp_servers: [],
      goal: '',
      precedence: '',
      scheduling_class: '',
    })
    expect(cleared.body.trigger).toMatchObject({
      mcp_servers: [],
      goal: null,
      precedence: null,
      scheduling_class: null,
    })
    expect(cleared.body.trigger).not.toHaveProperty('reclassified_waiting_sessions')
  })

  test('does not check a stored name that left the catalog, unless its list changes', async () => {
    const id = await app.trigger({ mcp_servers: ['tracker'] })
    await app.pool.query(`update triggers set mcp_servers = '{tracker,gone}' where id = $1`, [id])
    expect((await app.patch(`/triggers/${id}`, { name: 'Again', mcp_servers: ['tracker', 'gone'] })).status).toBe(200)
    await changesNothing(app.pool, async () => {
      expectProblem(
        await app.patch(`/triggers/${id}`, { name: 'Never', mcp_servers: ['gone'] }),
        422,
        'Validation failed',
        'Mcp servers contains invalid server(s): gone',
      )
    })
  })

  test('turning re-use off clears the flags that need it', async () => {
    const target = await insertSession(app.pool)
    const id = await app.trigger({ reuse_session: true, enqueue_messages: true, last_session_id: target })
    const { body } = await app.patch(`/triggers/${id}`, { reuse_session: false })
    expect(body.trigger).toMatchObject({ reuse_session: false, enqueue_messages: false, last_session_id: target })
  })

  test('moves the waiting sessions of the trigger to a new class and says how many', async () => {
    const id = await app.trigger()
    const metadata = { trigger_id: id }
    const waiting = await insertSession(app.pool, { metadata: { ...metadata, spot_hold_at: '2026-01-01T00:00:00Z' } })
    const running = await insertSession(app.pool, { metadata, status: 'running' })
    const foreign = await insertSession(app.pool)
    const { body } = await app.patch(`/triggers/${id}`, { scheduling_class: 'priority' })
    expect(body.trigger).toMatchObject({ reclassified_waiting_sessions: 1, effective_scheduling_class: 'priority' })
    expect(await app.session(waiting)).toMatchObject({ priority_class: 'priority', metadata })
    expect(await app.session(running)).toMatchObject({ priority_class: 'spot' })
    expect(await app.session(foreign)).toMatchObject({ priority_class: 'spot' })
    const same = await app.patch(`/triggers/${id}`, { scheduling_class: 'priority' })
    expect(same.body.trigger).not.toHaveProperty('reclassified_waiting_sessions')
  })

  test('retimes a schedule from the moment of the change', async () => {
    const id = await app.trigger()
    const before = Date.now()
    const { body } = await app.patch(`/triggers/${id}`, {
      trigger_conditions_attributes: [
        {
          id: ((await app.show(id)).conditions as { id: number }[])[0]?.id,
          configuration: { unit: 'hours', interval: 6 },
        },
      ],
    })
    const due = new Date(body.trigger.conditions[0].next_run_at).getTime()
    // The API leaves out fractions of a second.
    expect(due).toBeGreaterThan(before - 1000)
    expect(due).toBeLessThanOrEqual(Date.now())
  })
})

describe('POST /triggers/:id/toggle', () => {
  test('disables an enabled trigger and enables a disabled or failed one', async () => {
    const id = await app.trigger()
    const toggle = async () => (await app.post(`/triggers/${id}/toggle`)).body.trigger
    const disabled = await toggle()
    expect(disabled).toMatchObject({ status: 'disabled', conditions: [{ next_run_at: null }] })
    expect(await toggle()).toMatchObject({ status: 'enabled', conditions: [{ next_run_at: expect.any(String) }] })
    await app.pool.query(
      `update triggers set status = 'failed', failed_at = now(), last_error = 'broke' where id = $1`,
      [id],
    )
    expect(await app.show(id)).toMatchObject({ status: 'failed', last_error: 'broke' })
    expect(await toggle()).toMatchObject({ status: 'enabled', failed_at: null, last_error: null })
  })

  test('flips once for each of ten concurrent callers', async () => {
    const id = await app.trigger()
    await Promise.all(Array.from({ length: 10 }, () => app.post(`/triggers/${id}/toggle`)))
    expect(await app.show(id)).toMatchObject({ status: 'enabled' })
  })
})

describe('DELETE /triggers/:id', () => {
  test('answers 204, deletes the conditions and keeps the sessions', async () => {
    const id = await app.trigger()
    const session = await insertSession(app.pool, { metadata: { trigger_id: id } })
    expect((await app.delete(`/triggers/${id}`)).status).toBe(204)
    expectProblem(await app.get(`/triggers/${id}`), 404, 'Not Found')
    expect((await app.pool.query('select from trigger_conditions where trigger_id = $1', [id])).rowCount).toBe(0)
    expect((await app.get(`/sessions/${session}`)).status).toBe(200)
  })
})
