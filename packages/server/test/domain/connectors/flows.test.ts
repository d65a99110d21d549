import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { refusingCommits } from '../../support/database/refuse-commits.ts'
import { signedIn } from '../../support/http/dashboard-browser.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { testCertificate, tlsServer } from '../../support/oauth/tls-server.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

// An authorization server that registers no clients, and gives the tokens that a test says.

let granted: Record<string, unknown> = {}
const exchanged: Record<string, string>[] = []
const site = await tlsServer(async (request, response) => {
  const { origin } = site
  const documents: Record<string, object> = {
    '/.well-known/oauth-protected-resource/mcp': { resource: `${origin}/mcp`, authorization_servers: [origin] },
    '/.well-known/oauth-authorization-server': {
      issuer: origin,
      authorization_endpoint: `${origin}/auth`,
      token_endpoint: `${origin}/token`,
    },
    '/token': { token_type: 'Bearer', expires_in: 3600, ...granted },
  }
  const found = documents[request.url ?? '']
  const body = (await request.toArray()).join('')
  if (request.url === '/token') exchanged.push(Object.fromEntries(new URLSearchParams(body)))
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}))
})
afterAll(() => site.close())
const google = {
  clientId: 'ours',
  authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenEndpoint: 'https://oauth2.googleapis.com/token',
  scopes: ['calendar.readonly'],
}
const server = (oauth: object) => ({ type: 'streamable-http', url: `${site.origin}/mcp`, oauth })
const folder = await catalogOnDisk({
  'mcp.json': {
    vault: server({}),
    pasted: server({ redirectUri: 'https://elsewhere.example/landing' }),
    calendar: server(google),
  },
})
const app = testApp({
  environment: {
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: site.origin,
    APP_HOST: 'yard.example',
  },
  trustedAuthority: testCertificate().cert,
})

beforeEach(async () => {
  await app.pool.query('delete from mcp_credentials')
  await app.pool.query('delete from mcp_oauth_flows')
  exchanged.length = 0
  granted = { access_token: 'access-token-1', refresh_token: 'refresh-token-1' }
})

const begin = async (name: string, body: object = {}) => {
  const answer = await app.post(`/connectors/${name}/authorize`, { again: true, ...body })
  expect(answer.status).toBe(200)
  return { ...answer.body, asked: new URL(answer.body.url).searchParams }
}
const complete = ({ state }: { state: string }) =>
  app.send(`/mcp_oauth/callback?code=good&state=${state}`, { redirect: 'manual' })
const flows = async () => (await app.pool.query('select * from mcp_oauth_flows order by created_at')).rows
const credential = async () => (await app.pool.query('select * from mcp_credentials')).rows[0]
const shown = async () =>
  (await app.get('/connectors')).body.connectors.find(({ name }: { name: string }) => name === 'vault').credential

describe('an authorization that a person began', () => {
  test('ends after 24 hours: its answer is refused before anything is sent', async () => {
    const begun = await begin('vault')
    const [{ created_at, expires_at }] = await flows()
    expect(Math.round((expires_at - created_at) / 60_000)).toBe(24 * 60)
    await app.pool.query("update mcp_oauth_flows set expires_at = now() - interval '1 second'")
    const answer = await complete(begun)
    expect([answer.status, exchanged]).toEqual([400, []])
    expect(await answer.text()).toContain('has expired')
    expect(await credential()).toBeUndefined()
  })

  test('is removed by sweep_oauth_flows when it has ended, and only then', async () => {
    await begin('vault')
    await app.pool.query("update mcp_oauth_flows set expires_at = now() - interval '1 second'")
    await begin('pasted')
    await runPeriodic(app.host.app, 'sweep_oauth_flows')
    expect(await flows()).toMatchObject([{ server_name: 'pasted' }])
  })

  test('takes the place of an earlier one for the same session and server, whose answer is refused', async () => {
    const [id, other] = [await insertSession(app.pool), await insertSession(app.pool)]
    const earlier = await begin('vault', { session_id: id })
    const elsewhere = await begin('vault', { session_id: other })
    const later = await begin('vault', { session_id: id })
    expect(await flows()).toHaveLength(2)
    const refused = await complete(earlier)
    expect([refused.status, exchanged]).toEqual([400, []])
    expect(await refused.text()).toContain('replaced')
    for (const flow of [later, elsewhere]) expect((await complete(flow)).status).toBe(302)
    expect(exchanged).toHaveLength(2)
  })

  test('without a session takes the place of the earlier one of the same browser, and of no other', async () => {
    const [ann, bob] = [await signedIn(app, 'Ann'), await signedIn(app, 'Bob')]
    const path = '/web/v1/connectors/vault/authorize'
    const first = await ann.post(path, {})
    await bob.post(path, {})
    await ann.post(path, {})
    expect(await flows()).toHaveLength(2)
    expect((await complete(first.body)).status).toBe(400)
  })

  test('is not completed by another browser', async () => {
    const [ann, bob] = [await signedIn(app, 'Ann'), await signedIn(app, 'Bob')]
    const { body } = await ann.post('/web/v1/connectors/pasted/authorize', {})
    const answer = await bob.post('/web/v1/connectors/complete', { state: body.state, redirect_response: 'good' })
    expectProblem(answer, 422, 'Cannot authorize')
    expect(answer.body.message).toContain('begun in another browser')
    expect([exchanged, await credential()]).toEqual([[], undefined])
  })
})

describe('the client', () => {
  test('is the fixed one, without a secret, where the authorization server registers none and the catalog has none', async () => {
    const begun = await begin('vault')
    expect(begun.asked.get('client_id')).toBe('yardmaster')
    expect((await complete(begun)).status).toBe(302)
    expect(exchanged).toMatchObject([{ client_id: 'yardmaster', grant_type: 'authorization_code' }])
    expect(exchanged[0]).not.toHaveProperty('client_secret')
    expect(await credential()).toMatchObject({ client_id: 'yardmaster', client_auth_method: 'none' })
  })

  test('asks Google for a refresh token in the parameters that only Google has', async () => {
    const { asked, url } = await begin('calendar')
    expect(new URL(url).origin).toBe('https://accounts.google.com')
    expect(Object.fromEntries(asked)).toMatchObject({ access_type: 'offline', prompt: 'consent', client_id: 'ours' })
    const others = (await begin('vault')).asked
    for (const name of ['access_type', 'prompt']) expect(others.has(name)).toBe(false)
  })
})

describe('an exchange without a refresh token', () => {
  test('keeps the stored one of the same client at the same authorization server', async () => {
    expect((await complete(await begin('vault'))).status).toBe(302)
    const before = await credential()
    granted = { access_token: 'access-token-2' }
    expect((await complete(await begin('vault'))).status).toBe(302)
    const after = await credential()
    expect(after.refresh_token).toBe(before.refresh_token)
    expect(after.access_token).not.toBe(before.access_token)
    expect(await shown()).toMatchObject({ refreshable: true, refresh_token_unsupported: false })
  })

  test('drops the stored one of another client', async () => {
    expect((await complete(await begin('vault'))).status).toBe(302)
    await app.pool.query("update mcp_credentials set client_id = 'another'")
    granted = { access_token: 'access-token-2' }
    expect((await complete(await begin('vault'))).status).toBe(302)
    expect(await credential()).toMatchObject({ client_id: 'yardmaster', refresh_token: null })
  })

  test('is shown as a credential that a person renews, because the authorization server gives no refresh token', async () => {
    granted = { access_token: 'access-token-1' }
    expect((await complete(await begin('vault'))).status).toBe(302)
    expect(await shown()).toMatchObject({ refreshable: false, refresh_token_unsupported: true, problem: null })
    await app.pool.query('delete from mcp_credentials')
    granted = { access_token: 'access-token-1', refresh_token: 'refresh-token-1' }
    expect((await complete(await begin('vault'))).status).toBe(302)
    expect(await shown()).toMatchObject({ refreshable: true, refresh_token_unsupported: false })
  })
})

describe('connectors.changed', () => {
  /** How often it was published meanwhile. */
  const announced = async (act: () => Promise<unknown>): Promise<number> => {
    await app.pool.query('delete from events')
    await act()
    return (await app.pool.query("select from events where name = 'connectors.changed'")).rows.length
  }

  test('is published when a person begins, when their answer is taken, when the tokens are stored, and when they disconnect', async () => {
    let begun = { state: '' }
    const start = async () => {
      begun = await begin('vault')
    }
    expect(await announced(start)).toBe(1)
    expect(await announced(() => complete(begun))).toBe(2)
    const { id } = await credential()
    expect(await announced(() => app.delete(`/connector_credentials/${id}`))).toBe(1)
    expect(await announced(() => app.delete(`/connector_credentials/${id}`))).toBe(0)
  })

  test('is not published for an answer that no one asked for, or for tokens that are rolled back', async () => {
    expect(await announced(() => complete({ state: 'unknown' }))).toBe(0)
    const begun = await begin('vault')
    // Only for the answer that was taken before.
    expect(await announced(() => refusingCommits(app.pool, 'mcp_credentials', () => complete(begun)))).toBe(1)
    expect(await credential()).toBeUndefined()
  })
})
