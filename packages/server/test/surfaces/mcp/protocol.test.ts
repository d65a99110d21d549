import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'

const app = testApp()
const client = mcpClient(app)

describe('a client', () => {
  test('is told who we are, in the version of the protocol that it speaks', async () => {
    const { result } = await client.ask('initialize', { protocolVersion: '2025-03-26', capabilities: {} })

    expect(result).toMatchObject({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'yardmaster', version: expect.any(String) },
      instructions: expect.stringContaining('Yardmaster'),
    })
  })

  test('that speaks a version nobody knows is offered the newest we know', async () => {
    const { result } = await client.ask('initialize', { protocolVersion: '1999-01-01' })

    expect(result.protocolVersion).toBe('2025-11-25')
  })

  test('is answered a ping, and nothing to a notification', async () => {
    expect(await client.ask('ping')).toEqual({ jsonrpc: '2.0', id: 7, result: {} })

    const noted = await client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect(noted.status).toBe(202)
    expect(await noted.text()).toBe('')
    expect((await client.post('{"jsonrpc":"2.0","id":4,"result":{}}')).status).toBe(202)
  })

  test('learns that there is no such method, no such tool, and that a call needs a name', async () => {
    expect(await client.ask('resources/list')).toMatchObject({ error: { code: -32_601 } })
    expect(await client.ask('tools/call', { name: 'launch' })).toMatchObject({
      error: { code: -32_602, message: 'Unknown tool: launch' },
    })
    expect(await client.ask('tools/call', { arguments: {} })).toMatchObject({ error: { code: -32_602 } })
    expect(await (await client.post('{"id":1}')).json()).toMatchObject({ id: 1, error: { code: -32_600 } })
    expect(await (await client.post('{"method":"ping"}')).json()).toMatchObject({ id: null, error: { code: -32_600 } })
    expect(await client.ask('tools/list', null)).toMatchObject({ id: 7, result: { tools: expect.any(Array) } })
  })

  test('that sends several messages at once, or no JSON, is refused in the standard shape', async () => {
    for (const body of ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{', '"ping"']) {
      const response = await client.post(body)
      expectProblem(
        { status: response.status, body: await response.json(), headers: response.headers },
        422,
        'Invalid JSON',
      )
    }
  })

  test('can open no stream and end no session', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await app.send('/mcp', { method, headers: { 'x-api-key': 'test-key' } })
      expect(response.headers.get('allow')).toBe('POST')
      expectProblem(
        { status: response.status, body: await response.json(), headers: response.headers },
        405,
        'Method not allowed',
      )
    }
  })
})

describe('without a key that is good', () => {
  test.each([
    ['none', {}],
    ['a wrong one', { 'x-api-key': 'wrong' }],
    ['a wrong bearer', { authorization: 'Bearer wrong' }],
    ['one that looks like an agent has it', { 'x-api-key': `ymt_${'a'.repeat(43)}` }],
  ])('nobody gets in: %s', async (_what, headers) => {
    const response = await client.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers)

    expectProblem(
      { status: response.status, body: await response.json(), headers: response.headers },
      401,
      'Unauthorized',
    )
  })

  test('a bearer is as good as the header', async () => {
    const headers = { authorization: 'Bearer test-key', 'x-api-key': '' }
    const response = await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', headers)

    expect(response.status).toBe(200)
  })
})

describe('the tools', () => {
  test('each say what they take, as schemas that stand for themselves', async () => {
    const tools = await client.tools()

    expect(tools.map(({ name }) => name)).toEqual([
      'quick_search_sessions',
      'get_session',
      'get_session_provenance',
      'get_configs',
      'start_session',
      'action_session',
      'manage_enqueued_messages',
      'manage_categories',
    ])
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/\.$/)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(JSON.stringify(inputSchema)).not.toContain('$ref')
      for (const property of Object.values<{ description?: string }>(inputSchema.properties))
        expect(property.description).toBeTruthy()
    }
  })

  test('are those of the groups that the address asks for, and a group we do not know is as good as not said', async () => {
    const names = async (groups: string) =>
      (await mcpClient(app, { query: `?tool_groups=${groups}` }).tools()).map(({ name }) => name)

    expect(await names('self_session')).toEqual([
      'get_session',
      'get_session_provenance',
      'get_configs',
      'action_session',
    ])
    expect(await names('sessions_readonly,weather')).toEqual([
      'quick_search_sessions',
      'get_session',
      'get_session_provenance',
      'get_configs',
    ])
    expect(await names('sessions_readonly&tool_groups=self_session')).not.toContain('start_session')
    expect(await names('weather')).toEqual([])
  })

  test('do not ask for the session that the address names', async () => {
    const required = async (query: string) =>
      (await mcpClient(app, { query }).tools()).map(({ inputSchema }) => inputSchema.required)

    expect(await required('?tool_groups=self_session')).toEqual([['id'], ['session_id'], [], ['action', 'session_id']])
    expect(await required('?tool_groups=self_session&session_id=1')).toEqual([[], [], [], ['action']])
  })
})
