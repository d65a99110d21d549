// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { authorizedMcpServer } from '../../support/oauth/authorized-mcp-server.ts'
import { testCertificate, tlsServer } from '../../support/oauth/tls-server.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

// A client that a person registered with the authorization server, and put into the catalog.

const secret = 'the-secret-of-the-known-client'
const ours = 'https://yard.example/mcp_oauth/callback'
const elsewhere = 'https://elsewhere.example/landing'
const remote = await authorizedMcpServer({
  demandsSecret: true,
  clients: [{ client_id: 'known', client_secret: secret, redirect_uris: [ours, elsewhere] }],
})
/** Another authorization server, which would like to have the secret. */
const thief = await tlsServer((request, response) => {
  const { origin } = thief
  const isMetadata = request.url === '/.well-known/oauth-authorization-server'
  const metadata = { issuer: origin, authorization_endpoint: `${origin}/auth`, token_endpoint: `${origin}/token` }
  response.writeHead(isMetadata ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
})
/** The authorization server that the MCP server `moving` names. */
let named = remote.origin
const moving = await tlsServer((request, response) => {
  const [, path] = /^\/\.well-known\/oauth-protected-resource(\/\w+)$/.exec(request.url ?? '') ?? []
  const metadata = { resource: `${moving.origin}${path}`, authorization_servers: [named] }
  response.writeHead(path ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
})
afterAll(() => Promise.all([remote.close(), thief.close(), moving.close()]))
const endpoints = { authorizationEndpoint: `${remote.origin}/auth`, tokenEndpoint: `${remote.origin}/token` }
const client = { clientId: 'known', clientSecret: '${KNOWN_CLIENT_SECRET}', scopes: ['tools', 'offline_access'] }
const server = (oauth: object) => ({ type: 'streamable-http', url: remote.url, oauth })
const folder = await catalogOnDisk({
  'mcp.json': {
    whole: server({ ...client, ...endpoints }),
    found: server(client),
    moving: { ...server(client), url: `${moving.origin}/mcp` },
    sibling: { ...server(client), url: `${moving.origin}/sibling` },
    hinted: {
      ...server({ ...client, authServerMetadataUrl: `${thief.origin}/.well-known/oauth-authorization-server` }),
      url: `${moving.origin}/hinted`,
    },
    half: { ...server({ ...client, tokenEndpoint: endpoints.tokenEndpoint }), url: `${moving.origin}/half` },
    inside: { ...server({ ...client, ...endpoints }), url: 'https://10.0.0.1/mcp' },
    pasted: server({ ...client, ...endpoints, redirectUri: elsewhere }),
    manual: server({ ...client, ...endpoints, manual: true }),
    wrong: server({ ...client, ...endpoints, clientSecret: 'another secret' }),
    unset: server({ ...client, ...endpoints, clientSecret: '${YARD_TEST_NEVER_SET}' }),
    plain: server({ ...client, ...endpoints, tokenEndpoint: 'http://127.0.0.1/token' }),
  },
})
const app = testApp({
  environment: {
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: [remote, thief, moving].map(({ origin }) => origin).join(','),
    APP_HOST: 'yard.example',
    KNOWN_CLIENT_SECRET: secret,
  },
  trustedAuthority: testCertificate().cert,
})
const { create, reaches } = sessionHelpers(app)

beforeEach(async () => {
  for (const table of ['mcp_credentials', 'mcp_oauth_flows', 'mcp_oauth_clients'])
    await app.pool.query(`delete from ${table}`)
  named = remote.origin
  remote.asked.length = 0
  for (const grant of Object.keys(remote.grants)) delete remote.grants[grant]
})

const begin = async (name: string) => {
  const { status, body } = await app.post(`/connectors/${name}/authorize`, {})
  expect(status).toBe(200)
  return body
}
const callback = (address: string) => {
  const { pathname, search } = new URL(address)
  return app.send(pathname + search, { redirect: 'manual' })
}
const credentials = async () => (await app.pool.query('select * from mcp_credentials')).rows
const looks = () => remote.asked.filter((path) => path.includes('.well-known') || path === '/reg')

describe('a client of the catalog', () => {
  test('with both endpoints authorizes a parked session from consent to renewal, and nothing is looked up or registered', async () => {
    const start = vi.spyOn(demoRuntime, 'start')
    const id = await create('run sleep 60', { mcp_servers: ['whole'] })
    expect((await reaches(id, 'failed')).metadata).toMatchObject({ failure_reason: 'oauth_required' })

    const { next, url } = await begin('whole')
    expect(next).toBe('consent')
    expect(looks()).toEqual([])
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_id: 'known',
      redirect_uri: ours,
      scope: 'tools offline_access',
      resource: remote.url,
      code_challenge_method: 'S256',
    })
    expect(url).not.toContain(secret)
    const [flow] = (await app.pool.query('select * from mcp_oauth_flows')).rows
    expect(flow).toMatchObject({ client_id: 'known', client_auth_method: 'client_secret_post' })
    expect(flow.client_secret).toMatch(/^v1\./)

    const answer = await callback(await remote.consent(url))
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/connectors?authorized=whole'])
    expect(await credentials()).toMatchObject([
      { client_id: 'known', client_secret: expect.stringMatching(/^v1\./), token_endpoint: endpoints.tokenEndpoint },
    ])
    expect((await app.pool.query('select from mcp_oauth_clients')).rowCount).toBe(0)
    await reaches(id, 'running')

    const [order] = start.mock.lastCall ?? []
    start.mockRestore()
    const given = order?.equipment.mcpServers.find(({ name }) => name === 'whole')
    if (given?.kind !== 'http') throw new Error('the agent has no address of the server')
    const call = async () => {
      const { status } = await fetch(given.url, {
        method: 'POST',
        headers: {
          ...given.headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      return status
    }
    expect(await call()).toBe(200)
    await app.pool.query("update mcp_credentials set expires_at = now() - interval '1 minute'")
    expect(await call()).toBe(200)
    expect(remote.grants).toEqual({ authorization_code: 1, refresh_token: 1 })
    expect(looks()).toEqual([])
  })

  test('without endpoints is used with those that the server names, and no other client is registered', async () => {
    const { url } = await begin('found')
    expect(new URL(url).searchParams.get('client_id')).toBe('known')
    expect(looks()).toContain('/.well-known/oauth-protected-resource/mcp')
    expect(looks()).not.toContain('/reg')
    expect((await callback(await remote.consent(url))).status).toBe(302)
    expect(await credentials()).toMatchObject([{ client_id: 'known' }])
  })

  test('stays with the authorization server at which a person has used it, until they disconnect', async () => {
    expect((await callback(await remote.consent((await begin('moving')).url))).status).toBe(302)
    named = thief.origin
    for (const name of ['moving', 'sibling']) {
      const answer = await app.post(`/connectors/${name}/authorize`, { again: true })
      expectProblem(answer, 422, 'Cannot authorize')
      for (const part of [thief.origin, `belongs to ${remote.origin}.`, 'disconnect moving and authorize again'])
        expect(answer.body.message).toContain(part)
    }
    expect((await app.pool.query('select from mcp_oauth_flows')).rowCount).toBe(0)
    named = remote.origin
    expect(new URL((await begin('sibling')).url).origin).toBe(remote.origin)

    named = thief.origin
    const [{ id }] = await credentials()
    expect((await app.delete(`/connector_credentials/${id}`)).status).toBe(204)
    expect(new URL((await begin('moving')).url).origin).toBe(thief.origin)
  })

  test('goes where the catalog says, whatever the server names', async () => {
    expect((await callback(await remote.consent((await begin('moving')).url))).status).toBe(302)
    expect(new URL((await begin('hinted')).url).origin).toBe(thief.origin)
    named = thief.origin
    expect((await begin('half')).next).toBe('consent')
    const { rows } = await app.pool.query("select token_endpoint from mcp_oauth_flows where server_name = 'half'")
    expect(rows).toEqual([{ token_endpoint: endpoints.tokenEndpoint }])
  })

  test.each([
    ['pasted', elsewhere],
    ['manual', ours],
  ])('named %s is completed by the address that the person pastes', async (name, redirectUri) => {
    const { next, url, state } = await begin(name)
    expect(next).toBe('paste')
    const landed = await remote.consent(url)
    expect(landed.startsWith(`${redirectUri}?`)).toBe(true)
    const done = await app.post('/connectors/complete', { state, redirect_response: landed })
    expect(done).toMatchObject({ status: 200, body: { server_name: name } })
    expect(remote.grants).toEqual({ authorization_code: 1 })
  })

  test('with a secret that the authorization server does not know is refused with the reason, and nothing is stored', async () => {
    const { url } = await begin('wrong')
    const answer = await callback(await remote.consent(url))
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('invalid_client')
    expect(await credentials()).toEqual([])
    expect((await app.pool.query('select from mcp_oauth_flows')).rowCount).toBe(0)
  })

  test('whose secret has no value, whose token endpoint is in the clear, or whose server is on a private network, sends no one to consent', async () => {
    for (const [name, reason] of [
      ['unset', 'YARD_TEST_NEVER_SET'],
      ['plain', 'only sent to https addresses'],
      ['inside', 'to OAUTH_ALLOWED_ORIGINS and start again'],
    ] as const) {
      const answer = await app.post(`/connectors/${name}/authorize`, {})
      expectProblem(answer, 422, 'Cannot authorize')
      expect(answer.body.message).toContain(reason)
    }
    expect((await app.pool.query('select from mcp_oauth_flows')).rowCount).toBe(0)
    const { body } = await app.get('/connectors')
    expect(body.connectors).toContainEqual(
      expect.objectContaining({ name: 'unset', missing: [expect.objectContaining({ name: 'YARD_TEST_NEVER_SET' })] }),
    )
  })
})
