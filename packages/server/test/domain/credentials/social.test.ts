// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { credentials } from '../../../src/domain/credentials/room.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { testApp } from '../../support/app/app.ts'
import { catalogOnDisk } from '../../support/app/catalog-app.ts'
import { operatorBrowser, operatorEnvironment } from '../../support/http/operator-browser.ts'
import { leaveToTest } from '../../support/jobs/leave-to-test.ts'
import { socialProvider } from '../../support/oauth/social-provider.ts'
import { testCertificate } from '../../support/oauth/tls-server.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const provider = await socialProvider()
afterAll(() => provider.close())
const folder = await catalogOnDisk({
  'mcp.json': {
    bookmarks: { type: 'stdio', command: 'true', env: { TOKEN: '${X_ACCESS_TOKEN}' } },
  },
})
const ours = 'https://yard.example/supervisor/x_oauth/callback'
const app = testApp({
  environment: {
    ...operatorEnvironment,
    ROLE: 'all',
    APP_HOST: 'yard.example',
    CATALOG_PATH: `${folder}/air.json`,
    OAUTH_ALLOWED_ORIGINS: provider.origin,
    X_OAUTH_CLIENT_ID: 'yard',
    X_OAUTH_CLIENT_SECRET: 'the client secret',
    X_OAUTH_AUTHORIZATION_URL: provider.authorizationEndpoint,
    X_OAUTH_TOKEN_URL: provider.tokenEndpoint,
    // A secret of the chain with the same name: the vended token comes first.
    X_ACCESS_TOKEN: 'a value of the environment',
  },
  trustedAuthority: testCertificate().cert,
})
const { visit, submit, post } = operatorBrowser(app)
const { create, reaches } = sessionHelpers(app)

const authorizePath = '/supervisor/x_oauth/authorize'
const completePath = '/supervisor/x_oauth/complete'
const filled = { account_key: 'ada', access_token_env_var: 'X_ACCESS_TOKEN' }
const configured = () => ({ ...defaults, redirectUri: ours })
const defaults = {
  clientId: 'yard' as string | undefined,
  clientSecret: 'the client secret' as string | undefined,
  authorizationEndpoint: provider.authorizationEndpoint,
  tokenEndpoint: provider.tokenEndpoint,
}
const configure = (change: Partial<ReturnType<typeof configured>>) =>
  Object.assign(app.host.app.social, configured(), change)
const begin = (fields = {}) => submit(authorizePath, authorizePath, { ...filled, ...fields })
const rows = async () => (await app.pool.query('select * from social_credentials')).rows
const flows = async () => (await app.pool.query('select * from social_oauth_flows')).rows
const change = (set: string) => app.pool.query(`update social_credentials set ${set}`)
const pathOf = (address: string) => new URL(address).pathname + new URL(address).search

beforeAll(() => leaveToTest(app.pool, 'refresh_social_tokens'))
beforeEach(async () => {
  await app.pool.query('delete from social_credentials')
  await app.pool.query('delete from social_oauth_flows')
  await app.host.app.vended.renew()
  provider.answer(undefined)
  provider.asked.length = 0
  configure({})
})

/** Completes the whole flow, and returns the answer of the callback. */
async function authorize(fields = {}) {
  const { location } = await begin(fields)
  return visit(pathOf(provider.consent(location ?? '')))
}

describe('authorizing an account', () => {
  it('sends the operator to consent, exchanges the code by HTTP Basic and PKCE, and shows the credential without its tokens', async () => {
    const begun = await begin()
    expect(begun.status).toBe(302)
    const consent = new URL(begun.location ?? '')
    expect(consent.origin + consent.pathname).toBe(provider.authorizationEndpoint)
    expect(Object.fromEntries(consent.searchParams)).toMatchObject({
      client_id: 'yard',
      redirect_uri: ours,
      code_challenge_method: 'S256',
      scope: 'tweet.read users.read bookmark.read offline.access',
    })
    const [flow] = await flows()
    expect(flow.code_verifier).toMatch(/^v1\./)
    expect(JSON.stringify(flow)).not.toContain(consent.searchParams.get('state'))

    const done = await visit(pathOf(provider.consent(consent.href)))
    const [row] = await rows()
    expect([done.status, done.location]).toEqual([302, `/supervisor/social_credentials/${row.id}`])
    expect(provider.asked).toHaveLength(1)
    const [, basic = ''] = provider.asked[0]?.authorization?.split(' ') ?? []
    expect(Buffer.from(basic, 'base64').toString()).toBe('yard:the+client+secret')
    expect(provider.asked[0]?.form).not.toHaveProperty('client_secret')
    expect(row).toMatchObject({ ...filled, token_endpoint: provider.tokenEndpoint })
    for (const sealed of [row.access_token, row.refresh_token]) expect(sealed).toMatch(/^v1\./)
    const page = await visit(done.location ?? '')
    expect(page.text).toContain('X_ACCESS_TOKEN')
    expect(page.text).not.toMatch(/social-(access|refresh)-token/)
    expect(page.text).not.toContain(row.access_token)
  })

  it('is in the audit log when the provider sends the operator back', async () => {
    // Of its own account: entries of other tests are written late.
    await authorize({ account_key: 'audited' })
    const [{ id }] = await rows()
    const recorded = async () =>
      (await app.pool.query('select * from audit_entries where target = $1', [`social_credentials/${id}`])).rows
    const found = await eventually(recorded, (entries) => entries.length > 0)
    const by = { actor_kind: 'operator', actor: 'operator', surface: 'operator' }
    expect(found).toMatchObject([{ ...by, operation: 'social_credentials.complete', status: 302 }])
  })

  it('shows the consent link and a box for the address if the redirect is not ours', async () => {
    configure({ redirectUri: 'http://127.0.0.1:8787/callback' })
    const begun = await begin()
    expect(begun.status).toBe(200)
    const [, escaped = ''] = /<a href="([^"]+)" target="_blank"/.exec(begun.text) ?? []
    const url = escaped.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    const fields = Object.fromEntries(
      [...begun.text.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]),
    )
    const complete = (pasted: string) => post(completePath, { ...fields, redirect_response: pasted })
    expect((await complete('I do not know')).status).toBe(422)
    expect((await complete('http://127.0.0.1:8787/callback?code=a&state=another')).status).toBe(422)
    expect(provider.asked).toEqual([])
    const pasted = provider.consent(url)
    const done = await complete(pasted)
    const [row] = await rows()
    expect([done.status, done.location]).toEqual([303, `/supervisor/social_credentials/${row.id}`])
    expect(await complete(pasted)).toMatchObject({ status: 422, text: expect.stringContaining('is not known') })
    expect(provider.asked).toHaveLength(1)
  })

  it('stops before anything is sent if the state is unknown, replayed, replaced or expired', async () => {
    const [first, second] = [await begin(), await begin()]
    const replaced = provider.consent(first.location ?? '')
    expect((await visit(pathOf(replaced))).status).toBe(422)
    expect((await visit('/supervisor/x_oauth/callback?code=a&state=unknown')).status).toBe(422)
    expect((await visit('/supervisor/x_oauth/callback')).status).toBe(422)
    await app.pool.query("update social_oauth_flows set expires_at = now() - interval '1 second'")
    expect((await visit(pathOf(provider.consent(second.location ?? '')))).status).toBe(422)
    expect(provider.asked).toEqual([])
    expect([await rows(), await flows()]).toEqual([[], []])
  })

  it('lasts 30 minutes', async () => {
    await begin()
    const [{ expires_at, created_at }] = await flows()
    expect(Math.round((expires_at - created_at) / 60_000)).toBe(30)
  })

  it('ends with the reason if the person or the provider refuses', async () => {
    const state = async () => new URL((await begin()).location ?? '').searchParams.get('state') ?? ''
    const callback = (query: Record<string, string>) =>
      visit(`/supervisor/x_oauth/callback?${new URLSearchParams(query).toString()}`)
    const denied = await callback({ state: await state(), error: 'access_denied' })
    expect(denied).toMatchObject({ status: 422, text: expect.stringContaining('access_denied') })
    expect((await callback({ state: await state() })).text).toContain('has no code')
    expect((await callback({ state: await state(), code: 'wrong' })).text).toContain('invalid_grant')
    for (const how of [
      (response) => response.writeHead(503).end(),
      (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
      (response) => response.writeHead(200).end('no json'),
      (response) => response.destroy(),
    ] satisfies Parameters<typeof provider.answer>[0][]) {
      provider.answer(how)
      expect((await callback({ state: await state(), code: 'any' })).status).toBe(422)
    }
    expect(await rows()).toEqual([])
  })

  it('is refused with 422 without a client, and for names that cannot be', async () => {
    for (const [wrong, reason] of [
      [{ clientId: undefined }, 'X_OAUTH_CLIENT_ID'],
      [{ clientSecret: undefined }, 'X_OAUTH_CLIENT_SECRET'],
    ] as const) {
      configure(wrong)
      expect(await begin()).toMatchObject({ status: 422, text: expect.stringContaining(reason) })
    }
    configure({})
    expect((await begin({ access_token_env_var: 'PATH' })).status).toBe(422)
    expect((await begin({ account_key: '' })).status).toBe(422)
    await authorize()
    expect((await begin({ account_key: 'grace' })).text).toContain('belongs to the account ada')
    expect(await flows()).toEqual([])
  })

  it.each(['authorizationEndpoint', 'tokenEndpoint'] as const)(
    'refuses a cleartext %s before consent, and names it',
    async (endpoint) => {
      for (const address of ['http://127.0.0.1/oauth', 'https://u:p@provider.test/oauth']) {
        configure({ [endpoint]: address })
        const { status, text } = await begin()
        expect([status, text.includes('/oauth')]).toEqual([422, true])
        expect(text).toContain('only sent to https addresses')
      }
      expect(await flows()).toEqual([])
    },
  )

  it('is closed without the password of the operator', async () => {
    for (const path of [authorizePath, '/supervisor/x_oauth/callback?state=a'])
      expect((await app.send(path)).status).toBe(401)
    expect((await app.send(completePath, { method: 'POST' })).status).toBe(401)
  })
})

describe('a stored endpoint', () => {
  it('is refused in the clear, and one that breaks the rule is repaired to that of the provider', async () => {
    await authorize()
    await expect(change("token_endpoint = 'http://provider.test/'")).rejects.toThrow(/secure_address/)
    await change("token_endpoint = 'https://provider.test:port/'")
    await credentials.recover?.(app.host.app)
    expect(await rows()).toMatchObject([{ token_endpoint: 'https://api.x.com/2/oauth2/token' }])
  })
})

describe('vending', () => {
  const secretNames = async () => (await app.get('/api/secrets/keys')).body.secrets
  /** What the agent of a new session is given. */
  async function given(): Promise<string | undefined> {
    const start = vi.spyOn(demoRuntime, 'start')
    const id = await create(`run echo ${provider.accessToken()}`, { mcp_servers: ['bookmarks'] })
    await reaches(id, 'needs_input')
    const [order] = start.mock.lastCall ?? []
    start.mockRestore()
    const server = order?.equipment.mcpServers.find(({ name }) => name === 'bookmarks')
    const { rows: entries } = await app.pool.query('select * from transcript_entries where session_id = $1', [id])
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.map((entry) => JSON.stringify(entry)).join()).not.toMatch(/social-access-token-\d/)
    return server?.kind === 'stdio' ? server.env.TOKEN : undefined
  }

  it('fills in the token before the secret chain, refreshed when under 15 minutes are left, and redacts it', async () => {
    await authorize()
    expect(await secretNames()).toContainEqual({
      name: 'X_ACCESS_TOKEN',
      description: null,
      source: 'social_credential',
      used_by: ['mcp_servers/bookmarks'],
    })
    const first = provider.accessToken()
    await change("expires_at = now() + interval '14 minutes'")
    const token = await given()
    expect(token).toBe(provider.accessToken())
    expect(token).not.toBe(first)
    expect(provider.asked.map(({ form }) => form.grant_type)).toEqual(['authorization_code', 'refresh_token'])
    expect(await rows()).toMatchObject([{ refresh_attempted_at: expect.any(Date), refresh_error: null }])

    const [{ id }] = await rows()
    const page = `/supervisor/social_credentials/${id}`
    await submit(page, `${page}/social_credentials.delete`)
    expect(await secretNames()).toContainEqual(
      expect.objectContaining({ name: 'X_ACCESS_TOKEN', source: 'environment' }),
    )
  })

  it('serves the old token if the refresh fails', async () => {
    await authorize()
    await change("expires_at = now() - interval '1 minute'")
    provider.answer((response) => response.writeHead(503).end())
    expect(await given()).toBe(provider.accessToken())
    expect(await rows()).toMatchObject([{ refresh_error: 'The token endpoint answered 503.' }])
  })

  it('keeps its refresh token when the provider refuses the client, which an operator corrects', async () => {
    await authorize()
    await change("expires_at = now() - interval '1 minute'")
    provider.answer((response) => response.writeHead(401).end('{"error":"invalid_client"}'))
    expect(await given()).toBe(provider.accessToken())
    expect(await rows()).toMatchObject([
      { refresh_token: expect.any(String), refresh_error: expect.stringContaining('Correct X_OAUTH_CLIENT_ID') },
    ])
    provider.answer(undefined)
    await change('refresh_after = null')
    await given()
    expect(await rows()).toMatchObject([{ refresh_error: null }])
  })

  it('is refreshed in the background within 30 minutes of its end', async () => {
    await authorize()
    const periodic = credentials.periodic?.find(({ name }) => name === 'refresh_social_tokens')
    const run = () => periodic?.run(app.host.app, new AbortController().signal)
    await change("expires_at = now() + interval '31 minutes'")
    await run()
    expect(provider.asked).toHaveLength(1)
    await change("expires_at = now() + interval '29 minutes'")
    await run()
    expect(provider.asked).toHaveLength(2)
    expect(app.host.app.vended.find('X_ACCESS_TOKEN')).toBe(provider.accessToken())
  })
})
