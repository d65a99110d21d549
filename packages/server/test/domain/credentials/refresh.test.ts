import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '../../../src/domain/app.ts'
import {
  credentialKeyOf,
  findToken,
  type RemoteServer,
  signInStateOf,
  spawnMarginSeconds,
  storeGrant,
} from '../../../src/domain/credentials/credential.ts'
import { credentials } from '../../../src/domain/credentials/room.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { testCertificate } from '../../support/oauth/tls-server.ts'
import { tokenEndpoint } from '../../support/oauth/token-endpoint.ts'

const endpoint = await tokenEndpoint()
afterAll(() => endpoint.close())
const test = testApp({
  // Without workers: only the tests refresh.
  environment: { ROLE: 'web', OAUTH_ALLOWED_ORIGINS: endpoint.origin },
  trustedAuthority: testCertificate().cert,
})

const server: RemoteServer = { name: 'vault', kind: 'http', url: 'https://mcp.test/mcp', headers: {} }
const key = credentialKeyOf(server)

/** The app of a host of its own, as far as refreshes are concerned. */
const host = (): App => ({ ...test.host.app, refreshes: new Map() })

async function granted({
  expiresInSeconds = 60,
  refreshToken = endpoint.current() as string | null,
  issuer = null as string | null,
} = {}) {
  await transact(test.host.app.db, (tx) =>
    storeGrant(test.host.app, tx, {
      server,
      issuer,
      client: { id: 'us', secret: undefined, authMethod: 'none' },
      tokenEndpoint: endpoint.address,
      tokens: {
        accessToken: 'access-token-first',
        refreshToken: refreshToken ?? undefined,
        expiresInSeconds,
        scope: undefined,
      },
      scopes: null,
      resource: null,
    }),
  )
}

const token = (app = host()) => findToken(app, key, { marginSeconds: spawnMarginSeconds })
const state = () => signInStateOf(test.host.app, test.host.app.db, server, { declaresOauth: false })
const row = async () => (await test.pool.query('select * from mcp_credentials')).rows[0]
const change = (set: string) => test.pool.query(`update mcp_credentials set ${set}`)

beforeEach(async () => {
  await test.pool.query('delete from mcp_credentials')
  endpoint.answer(undefined)
  endpoint.seen.length = 0
})

describe('a token that expires soon', () => {
  it('is refreshed once for fifty sessions on five hosts that need it at once', async () => {
    await granted({ expiresInSeconds: 1 })
    const hosts = Array.from({ length: 5 }, host)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => token(hosts[index % 5])))
    expect(endpoint.seen).toHaveLength(1)
    expect(new Set(answers.map((answer) => answer.kind === 'token' && answer.token)).size).toBe(1)
  })

  it('is stored sealed, both tokens together, and known to the redactor', async () => {
    await granted()
    await token()
    const { access_token, refresh_token, refreshed_at } = await row()
    expect(refreshed_at).not.toBeNull()
    for (const sealed of [access_token, refresh_token]) expect(sealed).toMatch(/^v1\.[0-9a-f]{16}\./)
    expect(await test.host.app.redactor.text(`it is ${endpoint.current()}`)).not.toContain(endpoint.current())
  })

  it('stays in use while it is valid if the authorization server fails, and is asked for later', async () => {
    await granted()
    endpoint.answer((response) => void response.writeHead(503, { 'retry-after': '30' }).end())
    expect(await token()).toMatchObject({ kind: 'token', token: 'access-token-first' })
    expect(await token()).toMatchObject({ kind: 'token' })
    expect(endpoint.seen).toHaveLength(1)
    expect(await row()).toMatchObject({ refresh_run: null, refresh_error: 'The token endpoint answered 503.' })
    await change('refresh_after = null')
    endpoint.answer(undefined)
    expect(await token()).toMatchObject({ kind: 'token', token: expect.not.stringContaining('first') })
  })

  it('stays in use after a refusal, which drops the refresh token', async () => {
    await granted({ refreshToken: 'refresh-token-wrong' })
    expect(await token()).toMatchObject({ kind: 'token', token: 'access-token-first' })
    expect(await row()).toMatchObject({ refresh_token: null })
    await change("expires_at = now() - interval '1 second'")
    expect(await token()).toEqual({ kind: 'needs_reauth' })
    expect(await state()).toBe('needs_reauth')
  })

  it.each([
    ['stays if the same authorization server grants no other', null, true],
    ['is forgotten if the server has come to name another authorization server', 'https://other.test', false],
  ])('has a refresh token that %s', async (_what, issuer, isKept) => {
    await granted()
    await granted({ refreshToken: null, issuer })
    expect((await row()).refresh_token !== null).toBe(isKept)
  })

  it('is never sent twice in one run when the answer is lost, and once more in the next', async () => {
    await granted({ expiresInSeconds: 1 })
    await change('expires_at = now()')
    endpoint.answer((response) => void response.destroy())
    expect(await token()).toMatchObject({ kind: 'later' })
    expect(endpoint.seen).toHaveLength(1)
    expect(await state()).toBe('token_expired')
    endpoint.answer(undefined)
    await change('refresh_after = null')
    expect(await token()).toMatchObject({ kind: 'token' })
    expect(endpoint.seen).toHaveLength(2)
  })
})

describe('a refresh that a crash cut off', () => {
  const crash = async () => {
    await granted({ expiresInSeconds: 1 })
    const { hostId } = test.host.app.home
    await test.pool.query(
      "update mcp_credentials set expires_at = now(), refresh_run = $1, refresh_host = $2, refresh_until = now() + interval '90 s'",
      [randomUUID(), hostId],
    )
    await credentials.recover?.(test.host.app)
  }

  it('is tried once more, which saves a token that was not used up', async () => {
    await crash()
    expect(await token()).toMatchObject({ kind: 'token' })
    expect(await state()).toBe('ready')
  })

  it('says that a person must sign in again if the refresh token was used up', async () => {
    await crash()
    endpoint.useUp()
    expect(await token()).toEqual({ kind: 'needs_reauth' })
    expect((await row()).refresh_error).toMatch(/invalid_grant.*cut off.*Authorize the server again/)
  })
})

describe('an answer that comes after the claim of its refresh has ended', () => {
  /** The next request uses the refresh token up, and its answer is held back. */
  async function held(): Promise<{ app: ReturnType<typeof token>; response: ServerResponse }> {
    const received = new Promise<ServerResponse>((resolve) => endpoint.answer(resolve))
    const app = token()
    return { app, response: await received }
  }
  const send = (response: ServerResponse, status: number, content: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  const tokens = () => ({ access_token: 'access-token-late', refresh_token: endpoint.current(), expires_in: 3600 })

  async function late() {
    await granted({ expiresInSeconds: 1 })
    await change('expires_at = now()')
    const first = await held()
    endpoint.useUp()
    endpoint.answer(undefined)
    await change('refresh_until = now()')
    return first
  }

  it('is saved if the refresh token was refused to another host meanwhile, and the next refresh works', async () => {
    const first = await late()
    expect(await token()).toEqual({ kind: 'needs_reauth' })
    send(first.response, 200, tokens())
    expect(await first.app).toMatchObject({ kind: 'token', token: 'access-token-late' })
    expect(await row()).toMatchObject({ refresh_run: null, refresh_error: null })
    await change('expires_at = now()')
    expect(await token()).toMatchObject({ kind: 'token', token: expect.not.stringContaining('late') })
  })

  it('is saved while another host asks again, whose refusal then changes nothing', async () => {
    const first = await late()
    const second = await held()
    send(first.response, 200, tokens())
    expect(await first.app).toMatchObject({ kind: 'token', token: 'access-token-late' })
    send(second.response, 400, { error: 'invalid_grant' })
    expect(await second.app).toMatchObject({ kind: 'token', token: 'access-token-late' })
    expect(await row()).toMatchObject({ refresh_token: expect.any(String), refresh_error: null })
  })

  it('is not used if a person has authorized the server meanwhile', async () => {
    const first = await late()
    await granted({ expiresInSeconds: 3600, refreshToken: 'refresh-token-of-the-person' })
    const before = await row()
    send(first.response, 200, tokens())
    expect(await first.app).toMatchObject({ kind: 'token', token: 'access-token-first' })
    expect(await row()).toEqual(before)
  })

  it('has a claim of twice the time that three connections may take', async () => {
    await granted({ expiresInSeconds: 1 })
    const { app, response } = await held()
    const { refresh_until: until, refresh_attempted_at: from } = await row()
    expect((until.getTime() - from.getTime()) / 1000).toBe(180)
    send(response, 200, tokens())
    await app
  })
})

describe('a stored token endpoint', () => {
  it.each(['http://as.test/token', 'https://u:p@as.test/', 'https://', 'ftp://as.test'])(
    'refuses %s',
    async (address) => {
      await granted()
      await expect(test.pool.query('update mcp_credentials set token_endpoint = $1', [address])).rejects.toThrow(
        /secure_address/,
      )
    },
  )

  it('that breaks the rule is forgotten at the next start, and the row says what to do', async () => {
    await granted()
    // The check of the column accepts it; only a parser finds out.
    await change("token_endpoint = 'https://as.test:port/token'")
    await credentials.recover?.(test.host.app)
    expect(await row()).toMatchObject({
      token_endpoint: null,
      refresh_error: expect.stringMatching(/Authorize .* again/),
    })
    expect(await token()).toMatchObject({ kind: 'token', token: 'access-token-first' })
    expect(endpoint.seen).toEqual([])
  })

  it('that follows the rule is kept at the next start', async () => {
    await granted()
    await credentials.recover?.(test.host.app)
    expect(await row()).toMatchObject({ token_endpoint: endpoint.address, refresh_error: null })
  })

  it('may be missing, which means to authorize again', async () => {
    await granted()
    await change('token_endpoint = null, expires_at = now()')
    expect(await state()).toBe('needs_reauth')
    expect(endpoint.seen).toEqual([])
  })
})

it('refreshes in the background what expires soon', async () => {
  await granted()
  await credentials.periodic?.[0]?.run(host(), new AbortController().signal)
  expect(endpoint.seen).toHaveLength(1)
})

it('refreshes in the background the others if one cannot be opened', async () => {
  await granted()
  // Sealed for another row, so that it cannot be opened in this one.
  await test.pool.query(
    `insert into mcp_credentials select (jsonb_populate_record(c, jsonb_build_object(
       'id', gen_random_uuid(), 'credential_key', 'broken', 'expires_at', now() + interval '5 seconds'))).* from mcp_credentials c`,
  )
  await credentials.periodic?.[0]?.run(host(), new AbortController().signal)
  expect(endpoint.seen).toHaveLength(1)
})

describe('connectors.changed', () => {
  const announced = async () =>
    (await test.pool.query("select from events where name = 'connectors.changed'")).rows.length

  it('is published when a token was renewed, and when that failed', async () => {
    await granted()
    await test.pool.query('delete from events')
    await token()
    expect(await announced()).toBe(1)
    await change("expires_at = now() + interval '1 minute'")
    endpoint.answer((response) => void response.writeHead(400).end('{"error":"invalid_grant"}'))
    await token()
    expect(await announced()).toBe(2)
    expect(await row()).toMatchObject({ refresh_token: null })
  })

  it('is not published while a token is good', async () => {
    await granted({ expiresInSeconds: 36_000 })
    await test.pool.query('delete from events')
    await token()
    expect(await announced()).toBe(0)
  })
})
