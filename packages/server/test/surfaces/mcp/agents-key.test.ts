import { describe, expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'

const { app, create, reaches, settled, atWork } = await agentsAtWork()

describe('the key of a turn', () => {
  test('the key of a turn comes with the self-session server for every session, which lists it under injected_mcp_servers', async () => {
    const { id, servers } = await atWork({ mcp_servers: [] })

    expect(servers).toMatchObject([
      { name: 'yardmaster-self-session', url: `${app.url}/mcp?tool_groups=self_session&session_id=${id}` },
    ])
    expect((await app.get(`/sessions/${id}`)).body.session).toMatchObject({
      mcp_servers: [],
      injected_mcp_servers: ['yardmaster-self-session'],
      all_mcp_servers: ['yardmaster-self-session'],
    })
    const everything = { mcp_servers: ['tracker', 'yardmaster-self-session'] }
    expect(await app.patch(`/sessions/${id}/mcp_servers`, everything)).toMatchObject({
      status: 200,
      body: { session: { mcp_servers: ['tracker'], all_mcp_servers: ['tracker', 'yardmaster-self-session'] } },
    })
    await app.post(`/sessions/${id}/pause`)
  })

  test('still works while another caller at the same address is rate-limited for guessing keys', async () => {
    const { id, servers } = await atWork()
    const statusFor = async (key = '') =>
      (await mcpClient(app).post('{}', { 'x-api-key': key, 'x-forwarded-for': '203.0.113.9' })).status
    const statuses = new Set<number>()
    for (let index = 0; index < 25; index += 1) statuses.add(await statusFor(`wrong-${index}`))
    expect([...statuses]).toEqual([401, 429])
    expect(await statusFor(servers[0]?.headers['X-API-Key'])).toBe(200)
    expect(await statusFor('ymt_of-a-turn-that-has-ended')).toBe(401)
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn is not injected when a selected catalog server covers the self_session group', async () => {
    for (const [mcp_servers, injected] of [
      [['yardmaster-house'], []],
      [['yardmaster-weather'], ['yardmaster-self-session']],
    ] as const) {
      const { id } = await atWork({ mcp_servers })
      expect((await app.get(`/sessions/${id}`)).body.session.injected_mcp_servers).toEqual(injected)
      await app.post(`/sessions/${id}/pause`)
    }
  })

  test('the key of a turn reads and changes its own session without naming it', async () => {
    const { id, clientOf } = await atWork()
    const own = clientOf('yardmaster-self-session')

    expect((await own.initialize()).result.instructions).toContain(`session ${id}`)
    expect((await own.call('get_session')).text).toContain(`- id: ${id}`)
    expect(await own.call('action_session', { action: 'update_title', title: 'Mine' })).toMatchObject({
      isError: false,
    })
    expect((await app.get(`/sessions/${id}`)).body.session.title).toBe('Mine')
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn reaches no other session and no tool outside its group', async () => {
    const other = await create('say hello')
    const { id, servers, clientOf } = await atWork()
    const own = clientOf('yardmaster-self-session')
    const refused = { isError: true, text: 'Session not found among yours and its descendants' }

    for (const named of [other, `${other}`, 999_999, 'no-such-slug', ''])
      expect(await own.call('get_session', { id: named })).toEqual(refused)
    expect(await own.call('action_session', { action: 'archive', session_id: other })).toEqual(refused)
    expect((await own.call('start_session', { prompt: 'say hi' })).text).toBe('Unknown tool: start_session')
    expect((await app.send(`/api/v1/sessions/${id}`, { headers: servers[0]?.headers ?? {} })).status).toBe(401)
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn cannot widen its tool groups through the query', async () => {
    const { id, servers } = await atWork()
    const wide = mcpClient(app, {
      key: servers[0]?.headers['X-API-Key'] ?? '',
      query: '?tool_groups=sessions,self_session',
    })

    expect((await wide.tools()).map(({ name }) => name)).not.toContain('start_session')
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn is valid while its turn runs and answers 401 afterwards', async () => {
    const { id, clientOf } = await atWork()
    const own = clientOf('yardmaster-self-session')
    expect((await own.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(200)

    await app.post(`/sessions/${id}/pause`)
    await settled(id)

    expect((await own.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401)
  })

  test('the key of a turn answers 401 once its turn is withdrawn, even while the agent still runs', async () => {
    const { id, clientOf } = await atWork()
    const own = clientOf('yardmaster-self-session')
    await app.pool.query(`update turns set withdrawn_by = 'archive' where session_id = $1`, [id])

    expect((await own.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401)
    await app.pool.query('update turns set withdrawn_by = null where session_id = $1', [id])
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn can message the parent session but cannot read it', async () => {
    const parent = await create('say hello', { title: 'The parent', custom_metadata: { secret: 'of the parent' } })
    await reaches(parent, 'needs_input')
    const { id, clientOf } = await atWork({ parent_session_id: parent })
    const own = clientOf('yardmaster-self-session')

    const said = await own.call('action_session', { action: 'message_parent', message: 'Help', reason: 'other' })
    expect(said).toMatchObject({ isError: false, text: expect.stringContaining('delivery:') })
    expect(said.text).not.toContain('of the parent')
    const again = { action: 'message_parent', message: 'Help', reason: 'other', verbose: true }
    expect((await own.call('action_session', again)).text).not.toContain('of the parent')
    expect((await own.call('get_session', { id: parent })).isError).toBe(true)
    await app.post(`/sessions/${id}/pause`)
  })

  test('the key of a turn is not stored in clear and is redacted from text', async () => {
    const { id, servers } = await atWork()
    const key = servers[0]?.headers['X-API-Key'] ?? ''
    const { rows } = await app.pool.query('select turns::text as turn, sessions::text as session from turns, sessions')

    expect(key).toMatch(/^ymt_[\w-]{43}$/)
    expect(JSON.stringify(rows)).not.toContain(key)
    expect(await app.host.app.redactor.text(`the key is ${key}.`)).toBe('the key is [REDACTED:TURN_KEY].')
    await app.post(`/sessions/${id}/pause`)
  })
})

describe('a secret that an agent writes through its tools is redacted before it is stored:', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const leaks = async (): Promise<string[]> => {
    const { rows } = await app.pool.query<{ name: string; hits: string }>(`
      select table_name as name, (xpath('/row/hits/text()', query_to_xml(format(
        'select count(*) as hits from %I as t where t::text like %L', table_name, '%${secret}%'
      ), false, true, '')))[1]::text as hits
      from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
    `)
    return rows.filter(({ hits }) => hits !== '0').map(({ name }) => name)
  }

  test('the title, the notes and a message to the parent', async () => {
    const parent = await create('say hello')
    await reaches(parent, 'needs_input')
    const { id, clientOf } = await atWork({ parent_session_id: parent })
    const own = clientOf('yardmaster-self-session')
    for (const said of [
      { action: 'update_title', title: `Uses ${secret}` },
      { action: 'update_notes', session_notes: `The key is ${secret}.` },
      { action: 'message_parent', message: `Take ${secret}`, reason: 'other' },
    ])
      expect(await own.call('action_session', said)).toMatchObject({ isError: false })

    const { session } = (await app.get(`/sessions/${id}`)).body
    expect(session).toMatchObject({
      title: 'Uses [REDACTED:FORGE_TOKEN]',
      session_notes: 'The key is [REDACTED:FORGE_TOKEN].',
    })
    await settled(parent)
    expect(await leaks()).toEqual([])
    await app.post(`/sessions/${id}/pause`)
  })

  test('the prompt, the goal and the metadata of a child session', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    const started = await lead.call('start_session', {
      agent_root: 'api',
      prompt: `say ${secret}`,
      custom_metadata: { deploy: { token: secret }, large: 12, list: ['plain'] },
    })
    expect(started.isError).toBe(false)
    const child = Number(/- id: (\d+)/.exec(started.text)?.[1])
    await reaches(child, 'needs_input')
    const call = { action: 'change_goal', session_id: child, goal: `Rotate ${secret}` }
    expect(await lead.call('action_session', call)).toMatchObject({ isError: false })
    const more = { action: 'follow_up', session_id: child, prompt: `say again ${secret}` }
    expect(await lead.call('action_session', more)).toMatchObject({ isError: false })
    await reaches(child, 'needs_input')

    const { session } = (await app.get(`/sessions/${child}`)).body
    expect(session).toMatchObject({
      prompt: 'say again [REDACTED:FORGE_TOKEN]',
      custom_metadata: { deploy: { token: '[REDACTED:FORGE_TOKEN]' }, large: 12, list: ['plain'] },
    })
    expect(await leaks()).toEqual([])
    await app.post(`/sessions/${id}/pause`)
  })
})

describe('an agent on a root with default_subagent_roots', () => {
  test('an agent on a root with default_subagent_roots receives both servers and starts child sessions on those roots', async () => {
    const { id, servers, clientOf } = await atWork(onRoot('lead'))
    expect(servers.map(({ name }) => name)).toEqual(['yardmaster-self-session', 'yardmaster'])
    const lead = clientOf('yardmaster')

    const started = await lead.call('start_session', { agent_root: 'api', prompt: 'say hello' })
    const child = Number(/- id: (\d+)/.exec(started.text)?.[1])
    await reaches(child, 'needs_input')
    const { rows } = await app.pool.query('select parent_session_id from sessions where id = $1', [child])
    expect(rows).toEqual([{ parent_session_id: String(id) }])
    expect((await lead.call('get_session', { id: child })).text).toContain('status: needs_input')
    expect(
      await lead.call('action_session', { action: 'follow_up', session_id: child, prompt: 'say more' }),
    ).toMatchObject({ isError: false })
    await reaches(child, 'needs_input')
    await app.post(`/sessions/${id}/pause`)
  })

  test('an agent on a root with default_subagent_roots cannot start sessions on other roots or with other MCP servers than the root has', async () => {
    const { id, clientOf } = await atWork(onRoot('lead'))
    const lead = clientOf('yardmaster')
    const start = (args: Record<string, unknown>) => lead.call('start_session', { prompt: 'say hello', ...args })

    for (const agent_root of ['other', 'lead', 'none', undefined]) {
      expect(await start({ agent_root })).toEqual({ isError: true, text: 'Agent root must be one of: api' })
    }
    for (const mcp_servers of [[], ['search'], ['tracker', 'search']]) {
      expect(await start({ agent_root: 'api', mcp_servers })).toMatchObject({
        isError: true,
        text: 'Mcp servers must be those of the root: ["tracker"]',
      })
    }
    for (const more of [
      { git_root: '/elsewhere' },
      { plugins: ['kit'] },
      { parent_session_id: 1 },
      { hooks: [] },
      { skills: ['tidy'] },
      { agent_runtime: 'demo' },
      { scheduling_class: 'priority' },
    ])
      expect(await start({ agent_root: 'api', ...more })).toMatchObject({
        isError: true,
        text: expect.stringContaining('Unknown argument'),
      })
    expect((await start({ agent_root: 'api', mcp_servers: ['tracker'] })).isError).toBe(false)
    const actions = (await lead.tools()).find(({ name }) => name === 'action_session').inputSchema.properties.action
      .enum
    for (const fleet of ['change_mcp_servers', 'change_plugins', 'refresh_all', 'bulk_archive', 'fork'])
      expect(actions).not.toContain(fleet)
    for (const [action, args] of Object.entries({
      change_hooks: { hooks: [] },
      change_skills: { skills: [] },
      change_scheduling_class: { scheduling_class: 'priority' },
    })) {
      expect(actions).not.toContain(action)
      expect((await lead.call('action_session', { action, ...args })).isError).toBe(true)
    }
    expect((await lead.call('get_configs')).text).toMatch(/name: api/)
    expect((await lead.call('get_configs')).text).not.toMatch(/name: other/)
    await app.post(`/sessions/${id}/pause`)
  })
})

test('an agent that guesses the idempotency key of another session starts its own session instead', async () => {
  const theirs = await create('say hello', { idempotency_key: 'nightly', custom_metadata: { secret: 'of another' } })
  const { id, clientOf } = await atWork(onRoot('lead'))
  const order = { agent_root: 'api', prompt: 'say hello', idempotency_key: 'nightly' }

  const first = await clientOf('yardmaster').call('start_session', order)
  const again = await clientOf('yardmaster').call('start_session', order)

  const child = Number(/- id: (\d+)/.exec(first.text)?.[1])
  expect(child).not.toBe(theirs)
  expect(first.text).not.toContain('of another')
  expect(again.text).toContain(`- id: ${child}`)
  await app.post(`/sessions/${id}/pause`)
})

describe('a caller with an API key', () => {
  test('a caller with an API key is limited to the roots in allowed_agent_roots', async () => {
    const bound = mcpClient(app, { query: '?allowed_agent_roots=api' })

    expect(await bound.call('start_session', { agent_root: 'other', prompt: 'say hi' })).toMatchObject({
      isError: true,
    })
    expect((await bound.call('get_configs')).text).not.toMatch(/name: other/)
    const id = await create('say hello')
    for (const action of ['change_hooks', 'change_skills', 'change_scheduling_class'])
      expect((await bound.call('action_session', { action, session_id: id, hooks: [] })).isError).toBe(true)
  })

  test('a caller with an API key uses the session_id of the query where a call names no session', async () => {
    const id = await create('say hello')
    const about = mcpClient(app, { query: `?tool_groups=self_session&session_id=${id}` })

    expect((await about.call('get_session')).text).toContain(`- id: ${id}`)
  })
})
