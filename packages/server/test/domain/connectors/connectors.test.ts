// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { signedIn } from '../../support/http/dashboard-browser.ts'
import { authorizedMcpServer } from '../../support/oauth/authorized-mcp-server.ts'
import { testCertificate, tlsServer } from '../../support/oauth/tls-server.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const remote = await authorizedMcpServer()
afterAll(() => remote.close())
const evil = await tlsServer((request, response) => {
  const { origin } = evil
  const documents: Record<string, object> = {
    '/.well-known/oauth-protected-resource': { resource: origin, authorization_servers: [origin] },
    '/.well-known/oauth-authorization-server': {
      issuer: origin,
      authorization_endpoint: 'javascript:alert(1)',
      token_endpoint: 'http://169.254.169.254/token',
    },
  }
  const found = documents[request.url ?? '']
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}))
})
afterAll(() => evil.close())
const folder = await catalogOnDisk({
  'mcp.json': {
    vault: {
      type: 'streamable-http',
      title: 'Vault',
      url: remote.url,
      headers: { 'X-Tenant': '${TENANT:-acme}' },
      oauth: {},
    },
    other: { type: 'streamable-http', url: remote.url, oauth: { redirectUri: 'http://127.0.0.1:1/elsewhere' } },
    evil: { type: 'streamable-http', url: `${evil.origin}/mcp`, oauth: {} },
    plain: { type: 'streamable-http', url: 'http://mcp.test/', oauth: {} },
    local: { type: 'stdio', command: 'node', env: { TOKEN: '${YARD_TEST_NEVER_SET}' } },
    private: { type: 'streamable-http', url: 'https://10.0.0.1/mcp', oauth: {} },
  },
})
const app = testApp({
  environment: {
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: `${remote.origin},${evil.origin}`,
    APP_HOST: 'yard.example',
  },
  trustedAuthority: testCertificate().cert,
})
const { create, reaches, turns, logs } = sessionHelpers(app)

beforeEach(async () => {
  await app.pool.query('delete from mcp_credentials')
  await app.pool.query('delete from mcp_oauth_flows')
})

const connector = async (name: string) => {
  const { body } = await app.get('/connectors')
  return body.connectors.find((each: { name: string }) => each.name === name)
}
const begin = async (name: string, body: object = {}) => (await app.post(`/connectors/${name}/authorize`, body)).body
const callback = (address: string) => {
  const { pathname, search } = new URL(address)
  return app.send(pathname + search, { redirect: 'manual' })
}
async function authorize(name: string): Promise<Response> {
  const { url } = await begin(name)
  return callback(await remote.consent(url))
}

/** Calls the tool of the MCP server as the agent of a session would. */
async function callThrough(url: string, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret', arguments: {} } }),
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const [, data = '{}'] = /^data: (.*)$/m.exec(await response.text()) ?? []
  return JSON.parse(data).result?.content
}

describe('GET /connectors', () => {
  it('shows every server with its state, what is missing and where to set it', async () => {
    expect(await connector('vault')).toMatchObject({
      state: 'needs_authorization',
      takes_sign_in: true,
      credential: null,
    })
    expect(await connector('local')).toMatchObject({
      state: 'missing_configuration',
      takes_sign_in: false,
      missing: [{ name: 'YARD_TEST_NEVER_SET', where: expect.stringContaining('secrets.json') }],
    })
  })
})

describe('authorizing a server', () => {
  it('parks a session before its agent starts, resumes it once, and lets its agent reach the server', async () => {
    const start = vi.spyOn(demoRuntime, 'start')
    const id = await create('run sleep 60', { mcp_servers: ['vault'] })
    const parked = await reaches(id, 'failed')
    expect(parked.metadata).toMatchObject({
      failure_reason: 'oauth_required',
      oauth_required_servers: [{ server_name: 'vault', server_url: remote.url }],
    })
    expect(start).not.toHaveBeenCalled()
    expect((await connector('vault')).waiting_sessions).toMatchObject([{ id }])

    const answer = await authorize('vault')
    expect({ status: answer.status, location: answer.headers.get('location') }).toEqual({
      status: 302,
      location: '/connectors?authorized=vault',
    })
    await reaches(id, 'running')
    expect(await connector('vault')).toMatchObject({
      state: 'ready',
      credential: { refreshable: true, problem: null },
      waiting_sessions: [],
    })

    const [order] = start.mock.lastCall ?? []
    const given = order?.equipment.mcpServers.find(({ name }) => name === 'vault')
    if (given?.kind !== 'http') throw new Error('the agent has no address of the server')
    expect(given.url).toBe(`${app.url}/mcp_gateway/vault`)
    expect(await callThrough(given.url, given.headers)).toEqual([{ type: 'text', text: 'the secret is acme' }])

    // A token that the server no longer takes is refreshed once.
    await app.pool.query("update mcp_credentials set expires_at = now() - interval '1 minute'")
    expect(await callThrough(given.url, given.headers)).toHaveLength(1)
    expect(remote.grants.refresh_token).toBe(1)

    for (const [key, status] of [
      ['ymt_wrong', 401],
      ['', 401],
    ] as const) {
      const refused = await app.send('/mcp_gateway/vault', {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: '{}',
      })
      expect(refused.status).toBe(status)
    }
    const unchosen = await app.send('/mcp_gateway/other', { method: 'POST', headers: given.headers, body: '{}' })
    expect(unchosen.status).toBe(404)

    // Without a credential the running session is parked, and its agent stops.
    const { credential } = await connector('vault')
    expect((await app.delete(`/connector_credentials/${credential.id}`)).status).toBe(204)
    const late = await app.send('/mcp_gateway/vault', { method: 'POST', headers: given.headers, body: '{}' })
    expect(late.status).toBe(422)
    expect((await reaches(id, 'failed')).metadata).toMatchObject({ failure_reason: 'oauth_required' })
    expect((await turns(id)).filter(({ outcome }) => outcome === 'completed')).toEqual([])
    start.mockRestore()
  })

  it('says at creation that the session waits for a person, as it then does', async () => {
    const request = { agent_runtime: 'demo', git_root: '/srv/none', prompt: 'say hello', mcp_servers: ['vault'] }
    const { body } = await app.post('/sessions', request)
    expect(body.warnings).toEqual([
      'MCP server vault cannot start right now (OAuth authorization not completed). The session waits until a person authorizes it.',
    ])
  })

  it('registers again after a disconnect, in case the authorization server has forgotten us', async () => {
    const clients = async () => (await app.pool.query('select client_id from mcp_oauth_clients')).rows
    await authorize('vault')
    const before = await clients()
    const { credential } = await connector('vault')
    expect((await app.delete(`/connector_credentials/${credential.id}`)).status).toBe(204)
    await authorize('vault')
    expect(await connector('vault')).toMatchObject({ state: 'ready' })
    expect(before.length).toBeGreaterThan(0)
    for (const { client_id } of before) expect(await clients()).not.toContainEqual({ client_id })
  })

  it('leaves what agents send to the server out of the audit log', async () => {
    await app.send('/mcp_gateway/vault', { method: 'POST', headers: { 'x-api-key': 'none' }, body: '{}' })
    await app.post('/categories', { name: 'Recorded after it' })
    const recorded = async (like: string) =>
      (await app.pool.query('select from audit_entries where operation like $1', [like])).rowCount
    await eventually(() => recorded('categories.create'), Boolean)
    expect(await recorded('%mcp_gateway%')).toBe(0)
  })

  it('resumes a session once when two people complete at once', async () => {
    const id = await create('say hello', { mcp_servers: ['vault'] })
    await reaches(id, 'failed')
    const flows = await Promise.all([begin('vault'), begin('vault', { session_id: id })])
    const addresses = await Promise.all(flows.map(({ url }) => remote.consent(url)))
    const answers = await Promise.all(addresses.map(callback))
    expect(answers.map(({ status }) => status)).toEqual([302, 302])
    await reaches(id, 'needs_input')
    expect((await logs(id)).filter((line) => line.includes('The servers are authorized'))).toHaveLength(1)
    expect((await turns(id)).filter(({ outcome }) => outcome === 'completed')).toHaveLength(1)
    // The same state again, and again a sign-in that is there already.
    expect((await callback(addresses[0] ?? '')).status).toBe(400)
    expect(await begin('vault')).toMatchObject({ next: 'authorized', url: null })
  })

  it('brings a session that was parked at rest back to rest, without a turn', async () => {
    const id = await create('say hello', {})
    await reaches(id, 'needs_input')
    const { body } = await app.patch(`/sessions/${id}/mcp_servers`, { mcp_servers: ['vault'] })
    expect(body).toMatchObject({ oauth_required: true, session: { status: 'failed' } })
    await authorize('vault')
    await reaches(id, 'needs_input')
    expect(await turns(id)).toHaveLength(1)
  })

  it('takes the pasted address, or the code in it, where the redirect is not ours', async () => {
    const { next, url, state } = await begin('other')
    expect(next).toBe('paste')
    const landed = await remote.consent(url)
    expectProblem(
      await app.post('/connectors/complete', { state, redirect_response: 'two words' }),
      422,
      'Cannot authorize',
    )
    const foreign = landed.replace(/state=[^&]+/, 'state=another')
    expectProblem(
      await app.post('/connectors/complete', { state, redirect_response: foreign }),
      422,
      'Cannot authorize',
    )
    const { status, body } = await app.post('/connectors/complete', { state, redirect_response: landed })
    expect({ status, body }).toMatchObject({ status: 200, body: { server_name: 'other', resumed_sessions: [] } })
    expect(await connector('other')).toMatchObject({ state: 'ready' })
  })

  it('registers once with an authorization server, for all flows with one redirect', async () => {
    const clients = await Promise.all([begin('vault'), begin('vault', { again: true })])
    const ids = clients.map(({ url }) => new URL(url).searchParams.get('client_id'))
    const again = await begin('vault', { again: true })
    expect(ids).toContain(new URL(again.url).searchParams.get('client_id'))
    const { searchParams } = new URL(again.url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: 'https://yard.example/mcp_oauth/callback',
      code_challenge_method: 'S256',
      scope: 'tools offline_access',
      resource: remote.url,
    })
  })

  it.each([
    ['evil', /authorization endpoint javascript:.* is not an https address/],
    ['plain', /MCP server http:\/\/mcp.test is not an https address/],
    ['private', /must be a public address\. .* add https:\/\/\S+ to OAUTH_ALLOWED_ORIGINS/],
    ['local', /takes no sign-in/],
  ])('refuses %s before anyone is sent to consent', async (name, sentence) => {
    const answer = await app.post(`/connectors/${name}/authorize`, {})
    expectProblem(answer, 422, 'Cannot authorize')
    expect(answer.body.message).toMatch(sentence)
    expect((await app.pool.query('select from mcp_oauth_flows')).rowCount).toBe(0)
  })

  it('refuses a blank address with the names of the keys that it needs', async () => {
    const answer = await app.post('/connectors/complete', { state: '', redirect_response: '' })
    expectProblem(answer, 422, 'Validation failed', "State can't be blank", "Redirect response can't be blank")
  })

  it('answers 404 for a server that the catalog does not have', async () => {
    expect((await app.post('/connectors/nothing/authorize', {})).status).toBe(404)
  })
})

describe('the audit log', () => {
  const recorded = async (where: string) =>
    (await app.pool.query(`select * from audit_entries where ${where} order by at`)).rows

  it('names the person who began when the authorization server sends them back, and records no stranger', async () => {
    await app.pool.query('delete from audit_entries')
    const ada = await signedIn(app, 'Ada')
    const { body } = await ada.post('/web/v1/connectors/vault/authorize', {})
    expect((await callback(await remote.consent(body.url))).status).toBe(302)
    const refused = await ada.post('/web/v1/connectors/vault/authorize', { again: true })
    expect((await callback(`https://x/mcp_oauth/callback?error=no&state=${refused.body.state}`)).status).toBe(400)
    expect((await callback('https://x/mcp_oauth/callback?code=a&state=unknown')).status).toBe(400)
    await app.post('/categories', { name: 'Recorded after the callbacks' })
    await eventually(
      () => recorded("operation = 'categories.create'"),
      (rows) => rows.length > 0,
    )
    const by = { actor_kind: 'person', actor: 'Ada', surface: 'web', operation: 'connectors.complete' }
    expect(await recorded("actor = 'Ada' and operation = 'connectors.complete'")).toMatchObject([
      { ...by, target: 'connectors/vault', status: 302 },
      { ...by, target: 'connectors/vault', status: 400 },
    ])
    expect(await recorded("operation = 'connectors.complete' and actor_kind = 'anonymous' and status >= 400")).toEqual(
      [],
    )
  })

  it('records the return of a person whose authorization a caller with a key began', async () => {
    await app.pool.query('delete from audit_entries')
    await authorize('vault')
    const found = await eventually(
      () => recorded("operation = 'connectors.complete'"),
      (rows) => rows.length > 0,
    )
    expect(found).toMatchObject([{ actor_kind: 'anonymous', target: 'connectors/vault', status: 302 }])
  })
})

describe('the pages about an authorization', () => {
  it('send a signed-in person to consent, and end with their sign-in', async () => {
    const ann = await signedIn(app)
    const form = (cookie: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
      app.send(ann.at('/mcp_oauth/initiate'), {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'server_name=vault',
      })
    expect((await form('')).status).toBe(401)
    expect((await form(ann.cookie, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await form(ann.cookie, {})).status).toBe(403)
    const begun = await form(ann.cookie)
    expect(begun.status).toBe(302)
    const landed = await remote.consent(begun.headers.get('location') ?? '')
    await ann.call('DELETE', '/web/session')
    const late = await callback(landed)
    expect(late.status).toBe(400)
    expect(await late.text()).toContain('its sign-in has ended')
    expect((await connector('vault')).credential).toBeNull()
  })

  it('refuse what the authorization server refused, an unknown state and a foreign issuer, as pages', async () => {
    expect((await callback('https://x/mcp_oauth/callback?code=a&state=unknown')).status).toBe(400)
    expect((await callback('https://x/mcp_oauth/callback')).status).toBe(400)
    const denied = await begin('vault')
    const page = await callback(`https://x/mcp_oauth/callback?error=access_denied<script>&state=${denied.state}`)
    expect(await page.text()).not.toContain('<script>')
    const mixed = await begin('vault')
    const foreign = `https://x/mcp_oauth/callback?code=a&iss=https%3A%2F%2Fevil.test&state=${mixed.state}`
    expect(await (await callback(foreign)).text()).toContain('another authorization server')
  })

  it('show and forget what a session has', async () => {
    const ann = await signedIn(app)
    const id = await create('say hello', { mcp_servers: ['vault'] })
    await authorize('vault')
    const { body } = await ann.get(`/mcp_oauth/status/${id}`)
    expect(body.vault).toEqual({
      server_url: remote.url,
      requires_oauth: true,
      has_credentials: true,
      credential_valid: true,
      pending_flow: false,
    })
    const { credential } = await connector('vault')
    const forgotten = await app.send(ann.at(`/connector_credentials/${credential.id}`), {
      method: 'DELETE',
      redirect: 'manual',
      headers: { cookie: ann.cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect(forgotten.status).toBe(303)
    expect((await connector('vault')).credential).toBeNull()
  })
})
