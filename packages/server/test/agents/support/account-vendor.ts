import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type AccountRuntime = 'runtime_alpha' | 'runtime_beta'

/**
 * A vendor on loopback as both CLIs know theirs: it serves whose token it is, tells the quota by headers, answers 429 when that is
 * spent, and renews tokens once. What it accepts is answered by the scripted model: to a compressed request, `Answered for ACCOUNT`.
 */
export type AccountVendor = {
  url: string
  /** The requests to the model, in order. `account` is undefined for a token that the vendor did not issue. */
  calls: { account: string | undefined; token: string; status: number }[]
  /** The refresh tokens that were sent, in order. */
  refreshes: string[]
  /** A login file of the CLI with a new pair of tokens. */
  login(runtime: AccountRuntime, account: string, minutes?: number): string
  spend(account: string): void
  close(): Promise<void>
}

export async function startAccountVendor(modelUrl: () => string): Promise<AccountVendor> {
  let serial = 0
  const accessTokens = new Map<string, string>()
  const refreshTokens = new Map<string, string>()
  const spent = new Set<string>()
  const calls: AccountVendor['calls'] = []
  const refreshes: string[] = []

  const issue = (account: string, minutes = 60) => {
    serial += 1
    // A later pair expires later, by which it is known to be newer.
    const exp = Math.floor(Date.now() / 1000) + minutes * 60 + serial
    const access = unsigned({ sub: account, jti: serial, exp, ...claims(account) })
    const refresh = `rt-${serial}-${'r'.repeat(24)}`
    accessTokens.set(access, account)
    refreshTokens.set(refresh, account)
    return { access, refresh, id: unsigned({ email: account, exp, ...claims(account) }), expiresAt: exp * 1000 }
  }

  const renew = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { refresh_token: refresh = '' } = JSON.parse((await bodyOf(request)).toString('utf8'))
    refreshes.push(refresh)
    const account = refreshTokens.get(refresh)
    if (account === undefined) return json(response, 400, { error: 'invalid_grant' })
    refreshTokens.delete(refresh)
    const pair = issue(account)
    json(response, 200, {
      access_token: pair.access,
      refresh_token: pair.refresh,
      id_token: pair.id,
      expires_in: Math.floor((pair.expiresAt - Date.now()) / 1000),
    })
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Codex would rather speak over a WebSocket; this answer makes it use HTTP.
    if (request.headers.upgrade !== undefined) return void response.writeHead(426).end()
    const body = await bodyOf(request)
    const isModel = request.method === 'POST' && /\/(messages|responses)(\?|$)/.test(request.url ?? '')
    const token = `${request.headers.authorization ?? request.headers['x-api-key'] ?? ''}`.replace(/^Bearer /, '')
    const account = accessTokens.get(token)
    const isSpent = account !== undefined && spent.has(account)
    const status = account === undefined ? 401 : isSpent ? 429 : 200
    if (isModel) calls.push({ account, token, status })
    for (const [name, value] of Object.entries(quotaHeaders(isSpent))) response.setHeader(name, value)
    if (account === undefined) return json(response, 401, { type: 'error', error: { type: 'authentication_error' } })
    if (isSpent && isModel) return json(response, 429, spentBody())
    await forward(request, response, { to: `${modelUrl()}${request.url}`, body, account })
  }

  const server = createServer((request, response) => {
    const handle = request.url?.endsWith('/oauth/token') ? renew : serve
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    refreshes,
    login: (runtime, account, minutes) => {
      const { access, refresh, id, expiresAt } = issue(account, minutes)
      if (runtime === 'runtime_alpha') {
        const scopes = ['user:inference', 'user:profile']
        return JSON.stringify({
          claudeAiOauth: { accessToken: access, refreshToken: refresh, expiresAt, scopes, subscriptionType: 'max' },
        })
      }
      const tokens = { id_token: id, access_token: access, refresh_token: refresh, account_id: `acc-${account}` }
      return JSON.stringify({
        auth_mode: 'chatgpt',
        OPENAI_API_KEY: null,
        tokens,
        last_refresh: new Date().toISOString(),
      })
    },
    spend: (account) => void spent.add(account),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function claims(account: string): Record<string, unknown> {
  return { 'https://api.openai.com/auth': { chatgpt_account_id: `acc-${account}`, chatgpt_plan_type: 'pro' } }
}

/** The CLIs read what a token says of itself and leave it to the vendor to believe it. */
function unsigned(payload: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(payload)}.${Buffer.from('signature').toString('base64url')}`
}

const resetSeconds = 3600

/** Those of both vendors: each CLI reads its own. */
function quotaHeaders(isSpent: boolean): Record<string, string> {
  const reset = String(Math.floor(Date.now() / 1000) + resetSeconds)
  const unified = 'anthropic-ratelimit-unified'
  const status = isSpent ? 'rejected' : 'allowed'
  return {
    [`${unified}-status`]: status,
    [`${unified}-reset`]: reset,
    [`${unified}-representative-claim`]: 'five_hour',
    [`${unified}-5h-status`]: status,
    [`${unified}-5h-utilization`]: isSpent ? '1' : '0.2',
    [`${unified}-5h-reset`]: reset,
    [`${unified}-7d-status`]: 'allowed',
    [`${unified}-7d-utilization`]: '0.1',
    [`${unified}-7d-reset`]: reset,
    'x-codex-primary-used-percent': isSpent ? '100' : '20',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': reset,
    'x-codex-secondary-used-percent': '10',
    'x-codex-secondary-window-minutes': '10080',
    'x-codex-secondary-reset-at': reset,
    ...(isSpent && { 'retry-after': String(resetSeconds) }),
  }
}

function spentBody(): unknown {
  const resetsAt = Math.floor(Date.now() / 1000) + resetSeconds
  return {
    type: 'error',
    error: {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: 'pro',
      resets_at: resetsAt,
      resets_in_seconds: resetSeconds,
    },
  }
}

type Forwarding = { to: string; body: Buffer; account: string }

/** With a key of the model's own, so that the account's token stays with the vendor. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { to, body, account }: Forwarding,
): Promise<void> {
  const { method = 'GET', headers } = request
  // Codex compresses its requests by zstd if it has a subscription. Node 20 cannot read that, so the vendor asks for itself.
  const asked = headers['content-encoding'] === 'zstd' ? responsesRequest(`say Answered for ${account}`) : body
  const answer = await fetch(to, {
    method,
    headers: { ...plainHeaders(headers), authorization: 'Bearer scripted' },
    ...(method !== 'GET' && method !== 'HEAD' && { body: asked }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response)
  else response.end()
}

function responsesRequest(script: string): string {
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: script }] }]
  return JSON.stringify({ model: 'gpt-6.1-sol', instructions: '', input, tools: [], stream: true })
}

const perConnection = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'keep-alive',
  'content-encoding',
]

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !perConnection.includes(name) && name !== 'x-api-key')
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
