import * as oauth from 'oauth4webapi'
import { retryAfterSeconds } from '../retry-after.ts'
import { type Client, clientAuthOf, codeOf, EndpointRefused, fetchBy, refuseInsecureEndpoint } from './client.ts'
import { type Outbound, RequestFailed } from './outbound.ts'

export type Tokens = {
  accessToken: string
  /** Undefined if the answer has none: the earlier one stays in use. */
  refreshToken: string | undefined
  /** Undefined: the server does not say when it expires. */
  expiresInSeconds: number | undefined
  scope: string | undefined
}

/**
 * What an answer of a token endpoint means:
 * - `permanent`: the server refuses, and will refuse again.
 * - `retry_later`: the server did not act on the request.
 * - `retry_now`: the connection was never made.
 * - `answer_lost`: the server may have acted. A refresh token that works once may be used up, so the same run never sends it again.
 */
export type TokenFailureKind = 'permanent' | 'retry_later' | 'retry_now' | 'answer_lost'

export class TokenRequestFailed extends Error {
  override readonly name = 'TokenRequestFailed'
  readonly kind: TokenFailureKind
  /** The error code of OAuth, such as `invalid_grant`. */
  readonly code: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: TokenFailureKind,
    message: string,
    about: { code?: string; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause })
    this.kind = kind
    this.code = about.code
    this.retryAfterSeconds = about.retryAfterSeconds
  }
}

/** A connection that was never made is tried this often. Nothing else is sent twice: codes and refresh tokens may work once. */
const attempts = 3

export async function untilSent<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof TokenRequestFailed) || error.kind !== 'retry_now' || tries === attempts) throw error
    }
  }
}

type TokenEndpoint = { address: string; client: Client }
type CodeGrant = { code: string; codeVerifier: string; redirectUri: string; resource: string | undefined }
type RefreshGrant = { refreshToken: string; resource: string | undefined; scope?: string | undefined }

export function exchangeCode(outbound: Outbound, endpoint: TokenEndpoint, grant: CodeGrant): Promise<Tokens> {
  return requestTokens(outbound, endpoint, 'authorization_code', {
    code: grant.code,
    code_verifier: grant.codeVerifier,
    redirect_uri: grant.redirectUri,
    ...(grant.resource !== undefined && { resource: grant.resource }),
  })
}

export function refreshTokens(outbound: Outbound, endpoint: TokenEndpoint, grant: RefreshGrant): Promise<Tokens> {
  return requestTokens(outbound, endpoint, 'refresh_token', {
    refresh_token: grant.refreshToken,
    ...(grant.resource !== undefined && { resource: grant.resource }),
  })
}

async function requestTokens(
  outbound: Outbound,
  { address, client }: TokenEndpoint,
  grantType: string,
  parameters: Record<string, string>,
): Promise<Tokens> {
  try {
    refuseInsecureEndpoint('token endpoint', address)
  } catch (error) {
    if (error instanceof EndpointRefused) throw new TokenRequestFailed('permanent', error.message)
    throw error
  }
  const server = { issuer: new URL(address).origin, token_endpoint: address }
  const response = await oauth
    .genericTokenEndpointRequest(server, { client_id: client.id }, clientAuthOf(client), grantType, parameters, {
      [oauth.customFetch]: fetchBy(outbound),
    })
    .catch((error: unknown) => {
      throw failureOfRequest(error)
    })
  return tokensIn(response)
}

function failureOfRequest(error: unknown): unknown {
  if (!(error instanceof RequestFailed)) return error
  const message = `The token endpoint cannot be used: ${error.message}`
  return new TokenRequestFailed(error.wasSent ? 'answer_lost' : 'retry_now', message, { cause: error })
}

async function tokensIn(response: Response): Promise<Tokens> {
  const { status } = response
  const body = await objectIn(response)
  const code = typeof body?.error === 'string' ? codeOf(body.error) : undefined
  const said =
    code === undefined ? `The token endpoint answered ${status}` : `The token endpoint answered ${status} (${code})`
  const about = { ...(code !== undefined && { code }) }
  if (status === 429 || status === 408 || status >= 500) {
    const seconds = retryAfterSeconds(response.headers.get('retry-after') ?? undefined)
    throw new TokenRequestFailed('retry_later', said, { ...about, retryAfterSeconds: seconds })
  }
  if (status >= 300 && status < 400)
    throw new TokenRequestFailed('retry_later', `${said}: a redirect, which is not followed`, about)
  // Some providers refuse with 200.
  if (code !== undefined && (status >= 400 || !hasToken(body))) throw new TokenRequestFailed('permanent', said, about)
  // A proxy or a deployment answers so, and not the authorization server: it always names an error.
  if (status >= 400) throw new TokenRequestFailed('retry_later', said)
  const granted = nested(body)
  if (!granted) throw new TokenRequestFailed('answer_lost', `${said}, but its answer cannot be read`)
  return granted
}

async function objectIn(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function hasToken(body: Record<string, unknown> | undefined): boolean {
  return nested(body) !== undefined
}

/** The tokens of the answer itself, or of `authed_user`, where one provider puts those of the person. */
function nested(body: Record<string, unknown> | undefined): Tokens | undefined {
  const inner = body?.authed_user
  return (
    tokensOf(body) ??
    (typeof inner === 'object' && inner !== null ? tokensOf(inner as Record<string, unknown>) : undefined)
  )
}

const maxToken = 20_000

function tokensOf(body: Record<string, unknown> | undefined): Tokens | undefined {
  const { access_token: access, refresh_token: refresh, expires_in: expires, scope } = body ?? {}
  if (!isToken(access)) return undefined
  const seconds = Number(expires)
  return {
    accessToken: access,
    refreshToken: isToken(refresh) ? refresh : undefined,
    expiresInSeconds: Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 10 * 365 * 86_400) : undefined,
    scope: typeof scope === 'string' ? scope.slice(0, 4000) : undefined,
  }
}

/** What a header can hold. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxToken && /^[\x21-\x7e]+$/.test(value)
}
