import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { limits } from '@yardmaster/contract/limits'
import { describe, expect, test } from 'vitest'
import { expectProblem, startTestApp, testApp, testKey } from '../../support/app/app.ts'
import { mcpClient } from '../../support/app/mcp-client.ts'
import { openRaw, requestHead } from '../../support/http/raw-http.ts'

const app = testApp()
const client = mcpClient(app)

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

async function problemOf(response: Response) {
  return { status: response.status, body: await response.json(), headers: response.headers }
}

describe('the Origin header of /mcp', () => {
  const from = (origin: string, key = testKey) => client.post(ping, { 'x-api-key': key, origin })

  test.each([
    'http://evil.test',
    'https://localhost.evil.test',
    'null',
    'http://localhost:1',
    'file://',
    'nonsense',
    '',
  ])('the Origin header %j of /mcp is answered 403, with a right key and with a wrong one', async (origin) => {
    for (const key of [testKey, 'wrong']) expectProblem(await problemOf(await from(origin, key)), 403, 'Forbidden')
  })

  test('the Origin header of /mcp is checked by every method', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await app.send('/mcp', { method, headers: { origin: 'http://evil.test' } })).status).toBe(403)
  })

  test('the Origin header of /mcp may be this server, and a program sends none', async () => {
    expect([(await from(new URL(app.url).origin)).status, (await client.post(ping)).status]).toEqual([200, 200])
  })

  test('the Origin header of /mcp may be the host in APP_HOST, under which a proxy serves it', async () => {
    const { app: named, stop } = await startTestApp({ environment: { ROLE: 'web', APP_HOST: 'yard.example.com' } })
    try {
      const { post } = mcpClient(named)
      const statuses = await Promise.all(
        ['https://yard.example.com', 'https://example.com'].map(
          async (origin) => (await post(ping, { 'x-api-key': testKey, origin })).status,
        ),
      )
      expect(statuses).toEqual([200, 403])
    } finally {
      await stop()
    }
  })
})

describe('POST /mcp', () => {
  test('POST /mcp refuses a form', async () => {
    const headers = { 'x-api-key': testKey, 'content-type': 'application/x-www-form-urlencoded' }
    expectProblem(await problemOf(await client.post('jsonrpc=2.0', headers)), 422, 'Unsupported content type')
  })

  test('POST /mcp answers initialize in the protocol version that the client asks for', async () => {
    const { result } = await client.initialize('2025-03-26')

    expect(result).toMatchObject({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'yardmaster', version: expect.any(String) },
      instructions: expect.stringContaining('Yardmaster'),
    })
  })

  test('POST /mcp offers its newest protocol version to a client that asks for an unknown one', async () => {
    const { result } = await client.initialize('1999-01-01')

    expect(result.protocolVersion).toBe('2025-11-25')
  })

  test('POST /mcp answers 400 to a request whose protocol version header it does not support', async () => {
    const headers = { 'x-api-key': testKey, 'mcp-protocol-version': '1999-01-01' }
    const response = await client.post(ping, headers)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('1999-01-01') } })
  })

  test('POST /mcp answers a ping with an empty result', async () => {
    expect(await client.ask('ping')).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  })

  test('POST /mcp answers 202 without a body to a notification and to a response', async () => {
    for (const message of [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
      '{"jsonrpc":"2.0","id":4,"result":{}}',
    ]) {
      const response = await client.post(message)
      expect({ message, status: response.status, text: await response.text() }).toEqual({
        message,
        status: 202,
        text: '',
      })
    }
  })

  test('POST /mcp answers JSON to a client whose Accept header names no event stream', async () => {
    const response = await client.post(ping, { 'x-api-key': testKey, accept: '*/*' })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('POST /mcp reports an unknown method, an unknown tool and missing parameters', async () => {
    expect(await client.ask('resources/list')).toMatchObject({ error: { code: -32_601 } })
    expect(await client.ask('tools/call', { name: 'launch' })).toMatchObject({
      error: { code: -32_602, message: 'Unknown tool: launch' },
    })
    expect(await client.ask('tools/call', { arguments: {} })).toMatchObject({ error: { code: -32_602 } })
    expect(await client.ask('initialize', {})).toMatchObject({ error: { code: -32_602 } })
  })

  test('POST /mcp reports a message that is not JSON-RPC 2.0, with the id if it has one', async () => {
    expect(await (await client.post('{"id":1}')).json()).toMatchObject({ id: 1, error: { code: -32_600 } })
    expect(await (await client.post('{"method":"ping"}')).json()).toMatchObject({ id: null, error: { code: -32_600 } })
  })

  test('POST /mcp takes params of null as no params', async () => {
    expect(await client.ask('tools/list', null)).toMatchObject({ id: 7, result: { tools: expect.any(Array) } })
  })

  test('POST /mcp refuses a batch, malformed JSON and a bare string with 422 Invalid JSON', async () => {
    for (const body of [`[${ping}]`, '{', '"ping"'])
      expectProblem(await problemOf(await client.post(body)), 422, 'Invalid JSON')
  })

  test('POST /mcp refuses a body over the limit with 413', async () => {
    const connection = openRaw(app.url)
    const answered = connection.answer()
    const length = `Content-Length: ${limits.bodyBytes + 1}`
    connection.send(requestHead('POST /mcp', [`X-API-Key: ${testKey}`, 'Content-Type: application/json', length]))

    expect((await answered).status).toBe(413)
    connection.end()
  })

  test("POST /mcp serves the SDK's own client from initialize to a tool call", async () => {
    const program = fileURLToPath(new URL('sdk-client.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [program, `${app.url}/mcp`, testKey])

    expect(JSON.parse(stdout)).toMatchObject({
      instructions: expect.stringContaining('Yardmaster'),
      tools: expect.arrayContaining(['get_session']),
      answer: { isError: false, content: [{ type: 'text', text: expect.stringContaining('categories') }] },
    })
  })
})

test('GET and DELETE /mcp answer 405: there is no stream to open and no session to end', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await app.send('/mcp', { method, headers: { 'x-api-key': testKey } })
    expect(response.headers.get('allow')).toBe('POST')
    expectProblem(await problemOf(response), 405, 'Method not allowed')
  }
})

describe('authentication of POST /mcp', () => {
  test.each([
    ['no key', {}],
    ['a wrong key', { 'x-api-key': 'wrong' }],
    ['a wrong bearer token', { authorization: 'Bearer wrong' }],
    ['an unknown turn key', { 'x-api-key': `ymt_${'a'.repeat(43)}` }],
  ])('authentication of POST /mcp refuses %s with 401', async (_what, headers) => {
    expectProblem(await problemOf(await client.post(ping, headers)), 401, 'Unauthorized')
  })

  test('authentication of POST /mcp accepts an API key as a bearer token', async () => {
    const response = await client.post(ping, { authorization: `Bearer ${testKey}`, 'x-api-key': '' })

    expect(response.status).toBe(200)
  })
})

describe('tools/list', () => {
  test('tools/list describes every tool and argument, with schemas that hold no reference', async () => {
    const tools = await client.tools()

    expect(tools.map(({ name }) => name)).toEqual([
      'get_configs',
      'manage_categories',
      'get_costs',
      'get_session_provenance',
      'action_session',
      'manage_enqueued_messages',
      'respond_to_elicitation',
      'get_notifications',
      'send_push_notification',
      'action_notification',
      'get_session',
      'start_session',
      'quick_search_sessions',
      'get_transcript_archive',
      'search_triggers',
      'action_trigger',
      'save_outcome_analysis',
      'wake_me_up_later',
      'wake_me_up_when_session_changes_state',
      'get_system_health',
      'action_health',
      'get_spot_policy',
      'action_spot_policy',
    ])
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/\.$/)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(JSON.stringify(inputSchema)).not.toContain('$ref')
      for (const property of Object.values<{ description?: string }>(inputSchema.properties))
        expect(property.description).toBeTruthy()
    }
  })

  test('tools/list lists the tools of the groups in the query and ignores unknown groups', async () => {
    const names = async (groups: string) =>
      (await mcpClient(app, { query: `?tool_groups=${groups}` }).tools()).map(({ name }) => name)

    expect(await names('self_session')).toEqual([
      'get_configs',
      'get_session_provenance',
      'action_session',
      'send_push_notification',
      'get_session',
      'wake_me_up_later',
      'wake_me_up_when_session_changes_state',
    ])
    expect(await names('triggers_readonly')).toEqual(['search_triggers'])
    expect(await names('health_readonly')).toEqual(['get_costs', 'get_system_health', 'get_spot_policy'])
    expect(await names('sessions_readonly,weather')).toEqual([
      'get_configs',
      'get_session_provenance',
      'get_session',
      'quick_search_sessions',
      'get_transcript_archive',
    ])
    expect(await names('sessions_readonly&tool_groups=self_session')).not.toContain('start_session')
    expect(await names('weather')).toEqual([])
  })

  test('tools/list does not require the session argument when the query names a session', async () => {
    const required = async (query: string) =>
      (await mcpClient(app, { query }).tools()).map(({ inputSchema }) => inputSchema.required)

    expect(await required('?tool_groups=self_session')).toEqual([
      [],
      ['session_id'],
      ['action', 'session_id'],
      ['session_id', 'message'],
      ['id'],
      ['session_id', 'wake_at', 'prompt'],
      ['session_id', 'watched_session_id', 'prompt'],
    ])
    expect(await required('?tool_groups=self_session&session_id=1')).toEqual([
      [],
      [],
      ['action'],
      ['message'],
      [],
      ['wake_at', 'prompt'],
      ['watched_session_id', 'prompt'],
    ])
  })
})
