import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../../src/platform/oauth/client.ts'
import { openOAuth } from '../../../src/platform/oauth/oauth.ts'
import { TokenRequestFailed } from '../../../src/platform/oauth/tokens.ts'
import { type TlsServer, testCertificate, tlsServer } from '../../support/oauth/tls-server.ts'
import { longEnough } from '../../support/vitest/long-enough.ts'

let endpoint: TlsServer
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void
let received: { authorization: string | undefined; form: URLSearchParams }[] = []

beforeAll(async () => {
  endpoint = await tlsServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      received.push({ authorization: request.headers.authorization, form: new URLSearchParams(body) })
      answer(request, response, body)
    })
  })
})
afterAll(() => endpoint.close())
beforeEach(() => {
  received = []
})

const client: Client = { id: 'us', secret: undefined, authMethod: 'none' }

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

function refresh({ address = `${endpoint.origin}/token`, who = client, timeoutMs = 30_000, maxBytes = 10_000 } = {}) {
  const oauth = openOAuth({ allowedOrigins: [endpoint.origin], ca: testCertificate().cert, timeoutMs, maxBytes })
  return oauth.refresh({ address, client: who }, { refreshToken: 'r1', resource: 'https://mcp.test/' })
}

async function failureOf(attempt: Promise<unknown>): Promise<TokenRequestFailed> {
  const error = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof TokenRequestFailed)) throw error ?? new Error('it did not fail')
  return error
}

/** How a request fails that reached the endpoint and then ran into its timeout. */
function timedOut(): Promise<TokenRequestFailed> {
  received = []
  return longEnough((timeoutMs) => failureOf(refresh({ timeoutMs })), {
    firstMs: 300,
    gotFar: () => received.length > 0,
  })
}

describe('a request to a token endpoint', () => {
  it('returns both tokens of a 200 and sends the resource indicator', async () => {
    answer = json(200, { access_token: 'a2', refresh_token: 'r2', expires_in: 3600, token_type: 'Bearer', scope: 'x' })
    expect(await refresh()).toEqual({ accessToken: 'a2', refreshToken: 'r2', expiresInSeconds: 3600, scope: 'x' })
    const [{ form } = { form: new URLSearchParams() }] = received
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r1',
      resource: 'https://mcp.test/',
      client_id: 'us',
    })
  })

  it('unwraps the tokens that a provider nests in authed_user', async () => {
    answer = json(200, { ok: true, authed_user: { access_token: 'nested', token_type: 'user' } })
    expect(await refresh()).toMatchObject({
      accessToken: 'nested',
      refreshToken: undefined,
      expiresInSeconds: undefined,
    })
  })

  it.each([
    ['client_secret_basic', 's/1', `Basic ${Buffer.from('us:s%2F1').toString('base64')}`, null],
    ['client_secret_post', 's/1', undefined, 's/1'],
  ] as const)('authenticates the client by %s', async (authMethod, secret, header, inForm) => {
    answer = json(200, { access_token: 'a' })
    await refresh({ who: { id: 'us', secret, authMethod } })
    expect(received[0]?.authorization).toBe(header)
    expect(received[0]?.form.get('client_secret')).toBe(inForm)
  })

  it.each([
    ['a 400 with a code', json(400, { error: 'invalid_grant' }), 'permanent', 'invalid_grant'],
    ['a 401', json(401, { error: 'invalid_client' }), 'permanent', 'invalid_client'],
    ['a 404 without a body', json(404, undefined), 'retry_later', undefined],
    ['a 403 with a page of a proxy', json(403, '<html>Blocked</html>'), 'retry_later', undefined],
    [
      'a 200 that refuses',
      json(200, { ok: false, error: 'invalid_refresh_token' }),
      'permanent',
      'invalid_refresh_token',
    ],
    ['a 429', json(429, { error: 'slow_down' }, { 'retry-after': '7' }), 'retry_later', 'slow_down'],
    ['a 500', json(500, 'oops'), 'retry_later', undefined],
    ['a 503', json(503, {}), 'retry_later', undefined],
    ['a redirect', json(302, {}, { location: 'https://169.254.169.254/' }), 'retry_later', undefined],
    ['a 307 redirect', json(307, {}, { location: 'http://elsewhere.test/' }), 'retry_later', undefined],
    ['a 200 without a token', json(200, { token_type: 'Bearer' }), 'answer_lost', undefined],
    ['a token that no header can hold', json(200, { access_token: 'a\r\nX: y' }), 'answer_lost', undefined],
    ['a body that is too long', json(200, { access_token: 'a'.repeat(20_000) }), 'answer_lost', undefined],
  ] as const)('classifies %s', async (_what, given, kind, code) => {
    answer = given
    const { kind: found, code: said, message } = await failureOf(refresh())
    expect({ found, said }).toEqual({ found: kind, said: code })
    expect(message).not.toContain('r1')
    expect(received).toHaveLength(1)
  })

  it('keeps how long a throttled client has to wait', async () => {
    answer = json(429, {}, { 'retry-after': '7' })
    expect((await failureOf(refresh())).retryAfterSeconds).toBe(7)
  })

  it('counts the answer as lost when the body is not JSON', async () => {
    answer = (_request, response) => void response.writeHead(200).end('<html>')
    expect((await failureOf(refresh())).kind).toBe('answer_lost')
  })

  it('counts the answer as lost when the server hangs, or hangs up', async () => {
    answer = () => undefined
    expect((await timedOut()).kind).toBe('answer_lost')
    answer = (request) => void request.socket.destroy()
    expect((await failureOf(refresh())).kind).toBe('answer_lost')
    answer = (_request, response) => void response.writeHead(200, { 'content-length': '500' }).write('{"access_token"')
    expect((await timedOut()).kind).toBe('answer_lost')
  })

  it('may be sent again at once when the connection was never made', async () => {
    const gone = await tlsServer(() => undefined)
    await gone.close()
    const oauth = openOAuth({ allowedOrigins: [gone.origin] })
    const attempt = oauth.refresh(
      { address: `${gone.origin}/token`, client },
      { refreshToken: 'r1', resource: undefined },
    )
    expect((await failureOf(attempt)).kind).toBe('retry_now')
  })

  it.each(['http://127.0.0.1:1/token', 'https://user:secret@as.test/token', 'javascript:alert(1)', 'not an address'])(
    'refuses the token endpoint %s before it connects',
    async (address) => {
      const failure = await failureOf(refresh({ address }))
      expect(failure.kind).toBe('permanent')
      expect(failure.message).not.toContain('secret')
      expect(received).toEqual([])
    },
  )

  it('sends nothing to a private address that is not allowed', async () => {
    const oauth = openOAuth({ allowedOrigins: [], ca: testCertificate().cert })
    for (const address of [`${endpoint.origin}/token`, endpoint.origin.replace('127.0.0.1', 'localhost')]) {
      const attempt = oauth.refresh({ address, client }, { refreshToken: 'r1', resource: undefined })
      expect((await failureOf(attempt)).message).toMatch(/public address|private address/)
    }
    expect(received).toEqual([])
  })
})
