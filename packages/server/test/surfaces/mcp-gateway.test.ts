import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { demoRuntime } from '../../src/runtimes/demo/runtime.ts'
import type { McpServer } from '../../src/runtimes/equipment.ts'
import { testApp } from '../support/app/app.ts'
import { catalogOnDisk } from '../support/app/catalog-app.ts'
import { replaceFile } from '../support/app/catalog-folder.ts'
import { openRaw, requestHead } from '../support/http/raw-http.ts'
import { authorizedMcpServer } from '../support/oauth/authorized-mcp-server.ts'
import { testCertificate, tlsServer } from '../support/oauth/tls-server.ts'
import { sessionHelpers } from '../support/sessions/conversation.ts'
import { eventually } from '../support/vitest/eventually.ts'

const remote = await authorizedMcpServer({
  clients: [
    {
      client_id: 'known',
      client_secret: 'the secret of the client',
      redirect_uris: ['https://yard.example/mcp_oauth/callback'],
    },
  ],
})
/** Which tokens the odd server refuses. */
let refuses: (token: string | undefined) => boolean = () => false
beforeEach(() => {
  refuses = () => false
})
/** Writes what a test says, in pieces. */
let say: (response: ServerResponse) => void = (response) => response.end()
const asked: { path: string | undefined; token: string | undefined }[] = []
const odd = await tlsServer((request, response) => {
  asked.push({ path: request.url, token: request.headers.authorization })
  if (refuses(request.headers.authorization)) return void response.writeHead(401).end()
  if (request.method === 'POST') return void response.writeHead(202).end()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  say(response)
})
afterAll(() => Promise.all([remote.close(), odd.close()]))

const oauth = {
  clientId: 'known',
  clientSecret: 'the secret of the client',
  authorizationEndpoint: `${remote.origin}/auth`,
  tokenEndpoint: `${remote.origin}/token`,
  scopes: ['tools', 'offline_access'],
}
const servers = {
  old: { type: 'sse', url: remote.sseUrl, oauth: {} },
  odd: { type: 'sse', url: `${odd.origin}/base/sse`, oauth },
  hidden: { type: 'streamable-http', url: `${odd.origin.replace('127.0.0.1', 'localhost')}/hidden`, oauth },
  leaving: { type: 'streamable-http', url: `${odd.origin}/leaving`, oauth },
}
const folder = await catalogOnDisk({ 'mcp.json': servers })
const app = testApp({
  environment: {
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: `${remote.origin},${odd.origin}`,
    APP_HOST: 'yard.example',
  },
  trustedAuthority: testCertificate().cert,
})
const { create, reaches } = sessionHelpers(app)

type Given = Extract<McpServer, { kind: 'http' | 'sse' }>

/** A running session with this server, which was authorized. Returns what its agent is given. */
async function givenTo(name: keyof typeof servers): Promise<{ id: number; server: Given }> {
  const { body } = await app.post(`/connectors/${name}/authorize`, { again: true })
  const { pathname, search } = new URL(await remote.consent(body.url))
  expect((await app.send(pathname + search, { redirect: 'manual' })).status).toBe(302)
  const start = vi.spyOn(demoRuntime, 'start')
  const id = await create('run sleep 600', { mcp_servers: [name] })
  await reaches(id, 'running')
  const [order] = start.mock.lastCall ?? []
  start.mockRestore()
  const server = order?.equipment.mcpServers.find((each) => each.name === name)
  if (!server || server.kind === 'stdio') throw new Error('the agent has no address of the server')
  return { id, server }
}

const initialize = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'agent', version: '1' } }

/** An agent that speaks the older transport: it reads events from one request, and posts its messages to the address that comes first. */
async function sseAgent({ url, headers }: Given) {
  const closing = new AbortController()
  const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: closing.signal })
  expect(stream.status).toBe(200)
  const events = eventsIn(stream)
  const next = async (): Promise<string> => (await events.next()).value ?? ''
  const endpoint = await next()
  const post = async (message: object): Promise<void> => {
    const { status } = await fetch(new URL(endpoint, url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    expect(status).toBe(202)
  }
  let id = 0
  return {
    endpoint,
    tell: (method: string) => post({ method }),
    call: async (method: string, params: object = {}): Promise<unknown> => {
      id += 1
      await post({ id, method, params })
      const answer = JSON.parse(await next())
      expect(answer).toMatchObject({ id })
      return answer.result
    },
    close: () => closing.abort(),
  }
}

/** The data of each event. */
async function* eventsIn({ body }: Response): AsyncGenerator<string> {
  let rest = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest += text
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) yield /^data: (.*)$/m.exec(event)?.[1] ?? ''
  }
}

describe('the older transport', () => {
  test('lets the agent list and call tools: it posts its messages to us, at the address that the server names', async () => {
    const { server } = await givenTo('old')
    expect(server).toMatchObject({ kind: 'sse', url: `${app.url}/mcp_gateway/old` })
    const agent = await sseAgent(server)
    expect(agent.endpoint).toMatch(/^\/mcp_gateway\/old\/messages\?to=/)
    expect(await agent.call('initialize', initialize)).toMatchObject({ serverInfo: { name: 'vault' } })
    await agent.tell('notifications/initialized')
    expect(await agent.call('tools/list')).toMatchObject({ tools: [{ name: 'secret' }] })
    const { content } = (await agent.call('tools/call', { name: 'secret', arguments: {} })) as { content: unknown }
    expect(content).toEqual([{ type: 'text', text: 'the secret is plain' }])
    agent.close()
  })

  const ours = (address: string) => `/mcp_gateway/odd/messages?${new URLSearchParams({ to: address })}`
  const withoutProof = (text: string) =>
    text.replace(/&proof=[0-9a-f]{64}$/m, '').replace(/&proof=[0-9a-f]{64}\r/, '\r')
  const cases: [string, string[], string][] = [
    ['a relative address', ['event: endpoint\ndata: /post?s=1\n\n'], `event: endpoint\ndata: ${ours('/post?s=1')}\n\n`],
    [
      'an address in pieces, with the other end of line',
      ['event: end', 'point\r\nda', 'ta: post', '?s=1\r\n', '\r\n'],
      `event: endpoint\r\ndata: ${ours('post?s=1')}\r\n\r\n`,
    ],
    [
      'an event after a comment and a retry, with its fields in another order',
      [': welcome\n\n', 'retry: 500\n\ndata: /post\nid: 1\nevent: endpoint\n\n'],
      `: welcome\n\nretry: 500\n\ndata: ${ours('/post')}\nid: 1\nevent: endpoint\n\n`,
    ],
    [
      'an absolute address of the server',
      [`event: endpoint\ndata: ${odd.origin}/post\n\n`],
      `event: endpoint\ndata: ${ours(`${odd.origin}/post`)}\n\n`,
    ],
    [
      'an address of another origin, which it leaves out',
      ['event: endpoint\ndata: https://evil.test/post\n\n'],
      'event: endpoint\ndata: \n\n',
    ],
    [
      'a later event that looks the same, which it leaves as it is',
      ['event: endpoint\ndata: /post\n\nevent: message\ndata: é', 'è event: endpoint\n\n'],
      `event: endpoint\ndata: ${ours('/post')}\n\nevent: message\ndata: éè event: endpoint\n\n`,
    ],
  ]

  test('rewrites the address of the server in every form that the event may have, and nothing else', async () => {
    const { server } = await givenTo('odd')
    for (const [name, pieces, expected] of cases) {
      say = async (response) => {
        for (const piece of pieces) {
          response.write(piece)
          await new Promise(setImmediate)
        }
        response.end()
      }
      const answer = await fetch(server.url, { headers: server.headers })
      expect([name, withoutProof(await answer.text())]).toEqual([name, expected])
    }
    // A character in two pieces, and a server that ends within its first event.
    const [before, after] = [Buffer.from('event: endpoint\ndata: /p\n\ndata: é'), Buffer.from('\n\n')]
    say = (response) => {
      response.write(before.subarray(0, -1))
      setImmediate(() => response.end(Buffer.concat([before.subarray(-1), after])))
    }
    const cut = await fetch(server.url, { headers: server.headers })
    expect(withoutProof(await cut.text())).toBe(`event: endpoint\ndata: ${ours('/p')}\n\ndata: é\n\n`)
    say = (response) => response.end('event: endpoint\nda')
    expect(await (await fetch(server.url, { headers: server.headers })).text()).toBe('event: endpoint\nda')
  })

  const post = (server: Given, address: string) =>
    fetch(new URL(address, server.url), {
      method: 'POST',
      headers: { ...server.headers, 'content-type': 'application/json' },
      body: '{}',
    })

  test('posts a message with the token only to an address that the server has named to this session', async () => {
    const { server } = await givenTo('odd')
    const other = await givenTo('odd')
    const named = async (to: string): Promise<string> => {
      say = (response) => response.end(`event: endpoint\ndata: ${to}\n\n`)
      return /^data: (.*)$/m.exec(await (await fetch(server.url, { headers: server.headers })).text())?.[1] ?? ''
    }
    const addresses = [await named('/post?s=1'), await named('sub')]
    asked.length = 0
    for (const address of addresses) expect((await post(server, address)).status).toBe(202)
    expect(asked).toEqual([
      { path: '/post?s=1', token: expect.stringMatching(/^Bearer \S{20}/) },
      { path: '/base/sub', token: expect.stringMatching(/^Bearer \S{20}/) },
    ])
    const [first = ''] = addresses
    const chosen = [
      first.replace('post', 'admin'),
      first.replace(/proof=./, 'proof='),
      first.replace(/&proof=.*/, ''),
      `${server.url}/messages?to=${encodeURIComponent('https://evil.test/post')}`,
      `${server.url}/messages?to=${encodeURIComponent('http://[')}`,
    ]
    for (const address of chosen) expect([address, (await post(server, address)).status]).toEqual([address, 404])
    expect((await post(other.server, first)).status).toBe(404)
    expect(asked).toHaveLength(2)
  })

  test('ends the stream of the agent when the server cuts it off', async () => {
    const { server } = await givenTo('odd')
    say = (response) => {
      response.write('event: endpoint\ndata: /p\n\n')
      setTimeout(() => response.destroy(), 50)
    }
    const answer = await fetch(server.url, { headers: server.headers })
    expect(await answer.text().catch(() => 'cut off')).toBeDefined()
  })
})

describe('a server that refuses a token which has not expired', () => {
  const send = async ({ url, headers }: Given) => {
    const answer = await fetch(url, { method: 'POST', headers, body: '{}' })
    return { status: answer.status, text: await answer.text() }
  }
  const change = (set: string) => app.pool.query(`update mcp_credentials set ${set} where server_name = 'leaving'`)

  async function replaceRefreshToken(): Promise<void> {
    const { rows } = await app.pool.query("select id from mcp_credentials where server_name = 'leaving'")
    const place = { table: 'mcp_credentials', column: 'refresh_token', id: rows[0].id }
    await change(`refresh_token = '${app.host.app.vault.seal(place, 'one that is used up')}'`)
  }

  test('gets a renewed one, and the agent notices nothing', async () => {
    const { server } = await givenTo('leaving')
    const tokens: (string | undefined)[] = []
    refuses = (token) => tokens.push(token) === 1
    expect(await send(server)).toMatchObject({ status: 202 })
    expect(new Set(tokens).size).toBe(2)
  })

  test.each([
    ['the renewed one is refused too', async () => undefined],
    ['there is nothing to renew it with', () => change('refresh_token = null')],
    ['the authorization server has ended the grant', replaceRefreshToken],
  ])('parks the session at the first message if %s, and the connector needs a person', async (_why, prepare) => {
    const { id, server } = await givenTo('leaving')
    await prepare()
    refuses = () => true
    expect(await send(server)).toMatchObject({ status: 422, text: expect.stringContaining('A person must authorize') })
    await reaches(id, 'failed')
    const { body } = await app.get(`/sessions/${id}`)
    expect(body.session.metadata).toMatchObject({ failure_reason: 'oauth_required' })
    const { body: listed } = await app.get('/connectors')
    expect(listed.connectors).toContainEqual(expect.objectContaining({ name: 'leaving', state: 'needs_reauth' }))
  })
})

describe('a server whose name leads to a private network', () => {
  test('is sent no token unless its origin is allowed, and the agent is told why', async () => {
    const { server } = await givenTo('hidden')
    asked.length = 0
    const answer = await fetch(server.url, { method: 'POST', headers: server.headers, body: '{}' })
    expect(answer.status).toBe(503)
    expect(await answer.text()).toMatch(/leads to a private address.*OAUTH_ALLOWED_ORIGINS/)
    expect(asked).toEqual([])
  })
})

describe('a server outside the catalog', () => {
  test('is neither reached nor authorized, whatever address a caller names', async () => {
    const { server } = await givenTo('odd')
    asked.length = 0
    const headers = { ...server.headers, 'content-type': 'application/json' }
    for (const name of ['nothing', '..', encodeURIComponent(`${odd.origin}/mcp`)]) {
      const { status } = await fetch(`${app.url}/mcp_gateway/${name}`, { method: 'POST', headers, body: '{}' })
      expect([name, status]).toEqual([name, 404])
    }
    const { status } = await app.post('/connectors/nothing/authorize', { server_url: `${odd.origin}/mcp` })
    expect(status).toBe(404)
    expect(asked).toEqual([])
  })

  test('that a running session had is no longer reached, and its token is listed as that of no server', async () => {
    const { server } = await givenTo('leaving')
    asked.length = 0
    const post = async () => (await fetch(server.url, { method: 'POST', headers: server.headers, body: '{}' })).status
    expect(await post()).toBe(202)
    const { leaving: _, ...others } = servers
    await replaceFile(`${folder}/mcp.json`, JSON.stringify(others))
    await eventually(post, (status) => status === 404)
    const count = asked.length
    expect(await post()).toBe(404)
    expect(asked).toHaveLength(count)
    const { body } = await app.get('/connectors')
    expect(body.orphaned_credentials).toMatchObject([{ server_name: 'leaving' }])
    expect((await app.post('/connectors/leaving/authorize', {})).status).toBe(404)
    await replaceFile(`${folder}/mcp.json`, JSON.stringify(servers))
  })
})

test('a caller without the key of a turn is refused before its body is received', async () => {
  const connection = openRaw(app.url)
  const headers = ['X-API-Key: not-a-turn', 'Content-Type: application/json', 'Content-Length: 8000000']
  connection.send(requestHead('POST /mcp_gateway/old', headers))
  expect((await connection.answer()).status).toBe(401)
  connection.end()
})
