import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export const alphaCli = fileURLToPath(new URL('alpha-cli.mjs', import.meta.url))
export const betaCli = fileURLToPath(new URL('beta-cli.mjs', import.meta.url))

/** `hang`: the request is never handled. `blocked`: a filter before the vendor answers with a page. `spent, then hang` and the others after it: the token is spent, and the answer is lost. */
export type TokenAnswer =
  | { status: number; body: unknown }
  | 'hang'
  | 'redirect'
  | 'spent, then hang'
  | 'half an answer'
  | 'cut'
  | 'endless'
  | 'garbage'
  | 'blocked'

/** A vendor with accounts, in the wire formats of both CLIs: single-use refresh tokens, and quota by headers. */
export type Vendor = {
  url: string
  /** The refresh tokens that were sent, in order. */
  refreshes: string[]
  /** The prompts that were answered, with the account that paid. */
  answered: { account: string; prompt: string }[]
  /** The prompts that came, answered or not. */
  prompts: string[]
  /** A new pair of tokens of the account. */
  issue(account: string): { access: string; refresh: string }
  /** The login file of the CLI with a new pair. */
  loginFile(account: string, minutes?: number): string
  /** The same for Codex. Its access token does not tell when it expires. */
  codexLoginFile(account: string): string
  spend(account: string, isSpent?: boolean): void
  revoke(account: string): void
  /** Answers every refresh with 503 until it is up again. */
  down(isDown?: boolean): void
  /** Rejects the account's access tokens before their time. Its refresh tokens stay good. */
  forgetAccess(account: string): void
  /** Answers the next refreshes otherwise. */
  next(...answers: TokenAnswer[]): void
  /** Forgets planned answers and what it was asked. */
  reset(): void
  /** Calls `work` at every refresh, after the token was spent and before the answer. */
  onRefresh(work: (account: string) => Promise<void>): void
  use: Map<string, { fiveHour: number; weekly: number }>
  /** How the next prompts are answered, without the headers about quota; undefined: as they should. */
  answerPrompts(status: number | undefined, count?: number): void
  /** Answers prompts only when this many wait. */
  gather(count: number): void
  /** How many wait. */
  gathered(): number
  close(): Promise<void>
}

const resetSeconds = 3600
const codexPath = '/v1/responses'

export async function startVendor(): Promise<Vendor> {
  let serial = 0
  let isDown = false
  const refreshTokens = new Map<string, string>()
  const used = new Set<string>()
  const accessTokens = new Map<string, string>()
  const spent = new Set<string>()
  const planned: TokenAnswer[] = []
  let duringRefresh: (account: string) => Promise<void> = async () => undefined
  let promptPlan: { status: number; count: number } | undefined
  let awaited = 0
  let waiting: (() => void)[] = []

  const vendor: Vendor = {
    url: '',
    refreshes: [],
    answered: [],
    prompts: [],
    issue: (account) => {
      serial += 1
      const access = `sk-ant-oat01-${account}-${serial}`
      const refresh = `sk-ant-ort01-${account}-${serial}`
      accessTokens.set(access, account)
      refreshTokens.set(refresh, account)
      return { access, refresh }
    },
    loginFile: (account, minutes = 60) => {
      const { access, refresh } = vendor.issue(account)
      const expiresAt = Date.now() + minutes * 60_000
      return JSON.stringify({
        claudeAiOauth: { accessToken: access, refreshToken: refresh, expiresAt, scopes: ['user:inference'] },
      })
    },
    codexLoginFile: (account) => {
      const { access, refresh } = vendor.issue(account)
      const claims = Buffer.from(JSON.stringify({ email: account })).toString('base64url')
      const tokens = {
        id_token: `e30.${claims}.c2ln`,
        access_token: access,
        refresh_token: refresh,
        account_id: account,
      }
      return JSON.stringify({ auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens })
    },
    spend: (account, isSpent = true) => void (isSpent ? spent.add(account) : spent.delete(account)),
    revoke: (account) => {
      for (const tokens of [accessTokens, refreshTokens])
        for (const [token, owner] of tokens) if (owner === account) tokens.delete(token)
    },
    forgetAccess: (account) => {
      for (const [token, owner] of accessTokens) if (owner === account) accessTokens.delete(token)
    },
    down: (is = true) => {
      isDown = is
    },
    next: (...answers) => void planned.push(...answers),
    reset: () => {
      planned.length = 0
      promptPlan = undefined
      vendor.prompts.length = 0
      spent.clear()
      vendor.refreshes.length = 0
      vendor.answered.length = 0
      isDown = false
      duringRefresh = async () => undefined
    },
    onRefresh: (work) => {
      duringRefresh = work
    },
    use: new Map(),
    answerPrompts: (status, count = Number.POSITIVE_INFINITY) => {
      promptPlan = status === undefined ? undefined : { status, count }
    },
    gather: (count) => {
      awaited = count
    },
    gathered: () => waiting.length,
    close: async () => undefined,
  }

  const token = async (body: Record<string, string>, response: ServerResponse): Promise<void> => {
    const refresh = body.refresh_token ?? ''
    vendor.refreshes.push(refresh)
    const plan = isDown ? { status: 503, body: {} } : planned.shift()
    if (plan === 'hang') return
    const account = refreshTokens.get(refresh)
    if (typeof plan === 'object') return json(response, plan.status, plan.body)
    if (plan === 'blocked') return void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>')
    if (plan === 'redirect') return void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
    if (used.has(refresh))
      return json(response, 400, { error: 'invalid_grant', error_description: 'refresh token reused' })
    if (account === undefined)
      return json(response, 400, { error: 'invalid_grant', error_description: 'Refresh token revoked' })
    used.add(refresh)
    await duringRefresh(account)
    if (plan === 'spent, then hang') return
    if (plan === 'half an answer') return void response.writeHead(200).write('{"access_token":')
    if (plan === 'cut') return void response.destroy()
    if (plan === 'garbage') return void response.writeHead(200).end('<html>')
    if (plan === 'endless') return endless(response)
    const issued = vendor.issue(account)
    json(response, 200, { access_token: issued.access, refresh_token: issued.refresh, expires_in: resetSeconds })
  }

  const messages = async (request: IncomingMessage, body: Record<string, string>, response: ServerResponse) => {
    if (body.prompt !== undefined) vendor.prompts.push(body.prompt)
    if (body.prompt !== undefined && promptPlan !== undefined && promptPlan.count > 0) {
      promptPlan.count -= 1
      return json(response, promptPlan.status, { type: 'error' })
    }
    const account = accessTokens.get(`${request.headers.authorization}`.replace('Bearer ', ''))
    if (account === undefined) return json(response, 401, { type: 'error', error: { type: 'authentication_error' } })
    if (body.prompt !== undefined && awaited > 0) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length < awaited) return
        awaited = 0
        for (const go of waiting) go()
        waiting = []
      })
    }
    const isSpent = spent.has(account)
    for (const [name, value] of Object.entries(headersOf(isSpent, vendor.use.get(account))))
      response.setHeader(name, value)
    const type = request.url === codexPath ? 'usage_limit_reached' : 'rate_limit_error'
    if (isSpent) return json(response, 429, { type: 'error', error: { type, message: 'limit' } })
    if (body.prompt === undefined)
      return json(response, 200, {
        type: 'message',
        id: `msg_${randomUUID()}`,
        model: body.model,
        usage: { input_tokens: 8, output_tokens: 1 },
      })
    vendor.answered.push({ account, prompt: body.prompt })
    response.writeHead(200).end(`paid by ${account}`)
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text || '{}')
    const isModel = request.url?.startsWith('/v1/messages') || request.url === codexPath
    await (isModel ? messages(request, body, response) : token(body, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has one
  vendor.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return vendor
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function headersOf(isSpent: boolean, use = { fiveHour: 0.2, weekly: 0.1 }): Record<string, string> {
  const reset = String(Math.floor(Date.now() / 1000) + resetSeconds)
  const prefix = 'anthropic-ratelimit-unified'
  return {
    [`${prefix}-status`]: isSpent ? 'rejected' : 'allowed',
    [`${prefix}-reset`]: reset,
    [`${prefix}-5h-status`]: isSpent ? 'rejected' : 'allowed',
    [`${prefix}-5h-utilization`]: isSpent ? '1' : String(use.fiveHour),
    [`${prefix}-5h-reset`]: reset,
    [`${prefix}-7d-status`]: 'allowed',
    [`${prefix}-7d-utilization`]: String(use.weekly),
    [`${prefix}-7d-reset`]: String(Number(reset) + 86_400),
    'x-codex-primary-used-percent': isSpent ? '100' : String(use.fiveHour * 100),
    'x-codex-primary-reset-at': reset,
    'x-codex-secondary-used-percent': String(use.weekly * 100),
    'x-codex-secondary-reset-at': String(Number(reset) + 86_400),
  }
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = ' '.repeat(1024 * 1024)
  const write = (): void => {
    if (response.destroyed) return
    if (response.write(chunk)) setImmediate(write)
    else response.once('drain', write)
  }
  write()
}
