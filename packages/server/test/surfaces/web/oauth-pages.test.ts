import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { authorizedMcpServer } from '../../support/oauth/authorized-mcp-server.ts'
import { testCertificate } from '../../support/oauth/tls-server.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const remote = await authorizedMcpServer()
afterAll(() => remote.close())
const folder = await catalogOnDisk({ 'mcp.json': { vault: { type: 'streamable-http', url: remote.url, oauth: {} } } })
// Without APP_HOST: the authorization server sends people back to localhost.
const app = testApp({
  environment: { CATALOG_PATH: `${folder}/air.json`, OAUTH_ALLOWED_ORIGINS: remote.origin },
  trustedAuthority: testCertificate().cert,
})
const { create } = sessionHelpers(app)

beforeEach(async () => {
  await app.pool.query('delete from mcp_credentials')
  await app.pool.query('delete from mcp_oauth_flows')
})

/** A person's browser, which sends the cookie of a name of the server only to that name. */
async function browserAt(origin: string) {
  const privatePath = `/web/~${randomBytes(24).toString('base64url')}`
  const signedIn = await fetch(`${origin}${privatePath}/session`, {
    method: 'POST',
    headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({ key: testKey }),
  })
  expect(signedIn.status).toBe(201)
  const [cookie = ''] = signedIn.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
  const visit = (address: string, init: RequestInit = {}) =>
    fetch(address, {
      redirect: 'manual',
      ...init,
      headers: { ...(new URL(address).origin === origin && { cookie }), ...init.headers },
    })
  const send = (path: string, type: string, body: string, headers: Record<string, string> = {}) =>
    visit(origin + privatePath + path, {
      method: 'POST',
      headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': type, ...headers },
      body,
    })
  return {
    visit,
    privatePath,
    /** As the page of the connectors does. Returns where consent is given. */
    begin: async (more: object = {}, headers: Record<string, string> = {}): Promise<string> => {
      const body = JSON.stringify({ again: true, ...more })
      const answer = await send('/v1/connectors/vault/authorize', 'application/json', body, headers)
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { url: string }).url
    },
    /** As a form without script does. */
    submit: (fields: Record<string, string>) =>
      send('/mcp_oauth/initiate', 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
  }
}

const port = () => new URL(app.url).port
const names = ['127.0.0.1', 'localhost'] as const

describe('GET /mcp_oauth/callback', () => {
  test.each(names)('sends a person who began at %s back to where they are signed in', async (name) => {
    const origin = `http://${name}:${port()}`
    const person = await browserAt(origin)
    const landed = await remote.consent(await person.begin())
    expect(new URL(landed).host).toBe(`localhost:${port()}`)
    const answer = await person.visit(landed)
    const location = answer.headers.get('location') ?? ''
    expect([answer.status, location]).toEqual([302, `${origin}/connectors?authorized=vault`])
    expect((await person.visit(new URL(`${person.privatePath}/session`, location).href)).status).toBe(200)
  })

  test('sends a person who began on the page of a session, or by a form, back to that session', async () => {
    const id = await create('say hello', { mcp_servers: ['vault'] })
    const person = await browserAt(app.url)
    const byPage = await person.visit(await remote.consent(await person.begin({ session_id: id })))
    expect(byPage.headers.get('location')).toBe(`${app.url}/sessions/${id}?authorized=vault`)
    await app.pool.query('delete from mcp_credentials')
    const begun = await person.submit({ server_name: 'vault', session_id: String(id) })
    const byForm = await person.visit(await remote.consent(begun.headers.get('location') ?? ''))
    expect(byForm.headers.get('location')).toBe(`${app.url}/sessions/${id}?authorized=vault`)
  })

  test('links back to where the person is signed in when consent was refused', async () => {
    const person = await browserAt(app.url)
    const state = new URL(await person.begin()).searchParams.get('state')
    const answer = await person.visit(
      `http://localhost:${port()}/mcp_oauth/callback?error=access_denied&state=${state}`,
    )
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(`<a href="${app.url}/connectors">`)
  })

  test.each(['https://evil.test', 'null', 'http://127.0.0.1:1', 'javascript://127.0.0.1'])(
    'stores no origin that is not its own (%s), and stays on the host of the callback',
    async (origin) => {
      const person = await browserAt(app.url)
      const url = await person.begin({}, { origin })
      expect((await app.pool.query('select return_origin from mcp_oauth_flows')).rows).toEqual([
        { return_origin: null },
      ])
      const answer = await person.visit(await remote.consent(url))
      expect(answer.headers.get('location')).toBe('/connectors?authorized=vault')
    },
  )

  test('sends a caller with a key, who began without a page, to the host of the callback', async () => {
    const { body } = await app.post('/connectors/vault/authorize', {})
    const answer = await fetch(await remote.consent(body.url), { redirect: 'manual' })
    expect(answer.headers.get('location')).toBe('/connectors?authorized=vault')
  })
})
