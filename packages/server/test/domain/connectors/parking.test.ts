import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alphaCli, startVendor } from '../../support/accounts/vendor-server.ts'
import { sampleRepository, startTestApp, type TestApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { authorizedMcpServer } from '../../support/oauth/authorized-mcp-server.ts'
import { testCertificate } from '../../support/oauth/tls-server.ts'
import { waitForStatus } from '../../support/sessions/demo-session.ts'

const remote = await authorizedMcpServer()
const vendor = await startVendor()
// The catalog does not say that the server demands a sign-in: the agent finds out.
const catalog = await catalogOnDisk({ 'mcp.json': { vault: { type: 'streamable-http', url: remote.url } } })

let app: TestApp
let repository = ''
beforeAll(async () => {
  const started = await startTestApp({
    environment: {
      CATALOG_PATH: `${catalog}/air.json`,
      OAUTH_ALLOWED_ORIGINS: remote.origin,
      APP_HOST: 'yard.example',
      RUNTIME_ALPHA_COMMAND: alphaCli,
      RUNTIME_ALPHA_TOKEN_URL: `${vendor.url}/v1/oauth/token`,
      ANTHROPIC_BASE_URL: vendor.url,
    },
    trustedAuthority: testCertificate().cert,
  })
  app = started.app
  afterAll(started.stop)
  repository = await sampleRepository(join(app.shared, 'repository'))
  const credentials = vendor.loginFile('one@example.test')
  await app.post('/accounts', { runtime: 'runtime_alpha', email: 'one@example.test', credentials })
})
afterAll(() => Promise.all([remote.close(), vendor.close()]))

beforeEach(async () => {
  await app.pool.query('delete from mcp_credentials')
  await app.pool.query('delete from mcp_server_probes')
})

describe('a session', () => {
  test('whose agent reports that a server asks for a sign-in is parked, and goes on when a person has authorized it', async () => {
    // The agent does not end its first turn by itself: the vendor answers the first prompt together with the second one.
    vendor.gather(2)
    const order = {
      agent_runtime: 'runtime_alpha',
      config: { model: 'claude-sonnet-5' },
      git_root: repository,
      prompt: 'work',
      mcp_servers: ['vault'],
    }
    const { body, status } = await app.post('/sessions', order)
    expect(status).toBe(201)
    const { id } = body.session
    const parked = await waitForStatus(app, id, 'failed')
    expect(parked.metadata).toMatchObject({
      failure_reason: 'oauth_required',
      oauth_required_servers: [{ server_name: 'vault', server_url: remote.url }],
    })
    const { body: found } = await app.get('/connectors')
    expect(found.connectors).toMatchObject([
      { name: 'vault', state: 'needs_authorization', waiting_sessions: [{ id }] },
    ])

    const { body: begun } = await app.post('/connectors/vault/authorize', {})
    const { pathname, search } = new URL(await remote.consent(begun.url))
    expect((await app.send(pathname + search, { redirect: 'manual' })).status).toBe(302)
    await waitForStatus(app, id, 'needs_input')
    const { rows } = await app.pool.query(
      `select count(*)::int as completed from turns where session_id = $1 and outcome = 'completed'`,
      [id],
    )
    expect(rows).toEqual([{ completed: 1 }])
  })
})
