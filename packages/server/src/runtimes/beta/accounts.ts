import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import { claimedText } from '../accounts/claimed-text.ts'
import { expiryOf } from '../accounts/expiry.ts'
import { measureBy } from '../accounts/measure.ts'
import { windowOf } from '../accounts/quota-headers.ts'
import { requestTokens } from '../accounts/token-endpoint.ts'
import type { Login, Quota, ServedLogin, SignInStep, VendorAccounts } from '../accounts/vendor-accounts.ts'
import { plainUsage, type Usage } from '../usage.ts'
import type { BetaConfig } from './config.ts'

/** Codex's own client id, which its refresh tokens belong to. */
const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann'
const vendorIssuer = 'https://auth.openai.com'
const vendorApi = 'https://chatgpt.com/backend-api/codex'
const cheapModel = 'gpt-5.6-luna'

/** ChatGPT logins of Codex. */
export function betaAccounts(config: BetaConfig, command: string): VendorAccounts {
  const issuer = config.RUNTIME_BETA_ISSUER?.replace(/\/$/, '')
  return {
    readLogin,
    writeLogin,
    refresh: (login) =>
      requestTokens({
        url: `${issuer ?? vendorIssuer}/oauth/token`,
        body: { client_id: clientId, grant_type: 'refresh_token', refresh_token: login.refreshToken ?? '' },
        renewed: (answer) => renewed(login, answer),
      }),
    measure: (login) => measure(login, config.OPENAI_BASE_URL ?? vendorApi),
    hostLoginFile: config.RUNTIME_BETA_LOGIN,
    signIn: {
      command,
      args: ['login', '--device-auth', ...(issuer === undefined ? [] : ['--experimental_issuer', issuer])],
      environment: (folder) => ({ CODEX_HOME: folder }),
      read: readSignIn,
      loginFile: (folder) => join(folder, 'auth.json'),
    },
  }
}

const LoginFile = z.object({
  tokens: z.object({
    id_token: z.string().min(1),
    access_token: z.string().min(1),
    refresh_token: z.string().nullish(),
    account_id: z.string().nullish(),
  }),
})

function readLogin(text: string): Login | undefined {
  const { data } = LoginFile.safeParse(parseJson(text.trim()))
  if (!data) return undefined
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken, account_id: id } = data.tokens
  return { accessToken, refreshToken: refreshToken || null, ...claimsOf(idToken, accessToken, id ?? undefined) }
}

const authClaim = 'https://api.openai.com/auth'
const Claims = z.object({
  email: z.string().nullish(),
  exp: z.number().nullish(),
  [authClaim]: z
    .object({ chatgpt_account_id: z.string().nullish(), chatgpt_plan_type: z.string().nullish() })
    .nullish(),
})

/** What the tokens say of themselves. They are not verified: the vendor is who believes them or not. */
function claimsOf(
  idToken: string,
  accessToken: string,
  accountId?: string,
): Omit<Login, 'accessToken' | 'refreshToken'> {
  const id = payloadOf(idToken)
  const { exp } = payloadOf(accessToken)
  const vendorAccountId = accountId ?? id[authClaim]?.chatgpt_account_id ?? undefined
  return {
    idToken,
    ...(vendorAccountId !== undefined && { vendorAccountId }),
    expiresAt: expiryOf(exp && exp * 1000),
    email: claimedText(id.email),
    subscriptionType: claimedText(id[authClaim]?.chatgpt_plan_type),
    rateLimitTier: null,
    scopes: [],
  }
}

function payloadOf(token: string): z.infer<typeof Claims> {
  const [, payload = ''] = token.split('.')
  return Claims.safeParse(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))).data ?? {}
}

/** Codex refuses a file without the key of the refresh token, and takes an empty one. */
export function loginFile(login: ServedLogin & { refreshToken?: string | null }): string {
  return JSON.stringify({ OPENAI_API_KEY: null, ...fieldsOf(login) })
}

function fieldsOf(login: ServedLogin & { refreshToken?: string | null }) {
  const { accessToken, refreshToken, idToken, vendorAccountId } = login
  return {
    auth_mode: 'chatgpt',
    tokens: {
      id_token: idToken,
      access_token: accessToken,
      refresh_token: refreshToken ?? '',
      account_id: vendorAccountId ?? null,
    },
    last_refresh: new Date().toISOString(),
  }
}

const Before = z.looseObject({}).catch({})

/** A person may have a key in the same file. */
function writeLogin(login: Login, before: string): string {
  return JSON.stringify({ OPENAI_API_KEY: null, ...Before.parse(parseJson(before)), ...fieldsOf(login) })
}

/** The old pair is spent with this answer, so a field that cannot be read costs no more than itself. */
const Renewed = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish().catch(null),
  id_token: z.string().min(1).nullish().catch(null),
})

function renewed(login: Login, answer: unknown): Login | undefined {
  const { data } = Renewed.safeParse(answer)
  if (!data) return undefined
  const idToken = data.id_token ?? login.idToken ?? ''
  const claims = claimsOf(idToken, data.access_token, login.vendorAccountId)
  return {
    ...login,
    ...claims,
    email: claims.email ?? login.email,
    accessToken: data.access_token,
    refreshToken: data.refresh_token ?? login.refreshToken,
  }
}

function measure(login: ServedLogin, api: string) {
  return measureBy({
    url: `${api.replace(/\/$/, '')}/responses`,
    headers: {
      authorization: `Bearer ${login.accessToken}`,
      ...(login.vendorAccountId !== undefined && { 'chatgpt-account-id': login.vendorAccountId }),
      accept: 'text/event-stream',
    },
    body: {
      model: cheapModel,
      instructions: 'Answer with one word.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'quota' }] }],
      store: false,
      stream: true,
    },
    read: quotaOf,
    usageIn,
  })
}

const Completed = z.object({
  type: z.literal('response.completed'),
  response: z.object({
    id: z.string(),
    model: z.string(),
    usage: z.object({
      input_tokens: z.int().min(0),
      input_tokens_details: z.object({ cached_tokens: z.int().min(0).default(0) }).nullish(),
      output_tokens: z.int().min(0),
    }),
  }),
})

/** The last event of the stream has it. The vendor's input count includes cached tokens. */
function usageIn(text: string): Usage | undefined {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [parseJson(line.slice(5))] : []))
  const { data } = Completed.safeParse(events.at(-1))
  if (!data) return undefined
  const { id, model, usage } = data.response
  const cached = usage.input_tokens_details?.cached_tokens ?? 0
  return {
    ...plainUsage,
    request_id: id,
    model,
    called_at: new Date(),
    subagent: false,
    input_tokens: Math.max(0, usage.input_tokens - cached),
    output_tokens: usage.output_tokens,
    cache_read_tokens: cached,
  }
}

/** The primary window lasts five hours and the secondary one a week. */
function quotaOf(headers: Headers): Quota {
  const window = (name: string) =>
    windowOf(headers, { utilization: `x-codex-${name}-used-percent`, reset: `x-codex-${name}-reset-at` }, 100)
  return {
    fiveHour: window('primary'),
    weekly: window('secondary'),
    overageStatus: null,
    overageDisabledReason: null,
  }
}

/** The command prints an address and a code to type there, with colours, and waits by itself. */
function readSignIn(output: string): SignInStep {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
  const plain = output.replace(/\u001b\[[\d;]*m/g, '')
  const [url] = /https?:\/\/\S+/.exec(plain) ?? []
  const [code] = /^\s*([A-Z0-9]{4,}-[A-Z0-9]{4,})\s*$/m.exec(plain) ?? []
  return { ...(url && { url }), ...(code && { code: code.trim() }) }
}
