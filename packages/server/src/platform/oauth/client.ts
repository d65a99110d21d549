import * as oauth from 'oauth4webapi'
import type { AuthServer } from './discover.ts'
import { problemWithEndpoint } from './endpoint-rule.ts'
import { type Outbound, RequestFailed, shown } from './outbound.ts'

/** How a client proves to a token endpoint that it is itself. */
const clientAuthMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const
export type ClientAuthMethod = (typeof clientAuthMethods)[number]

export type Client = { id: string; secret: string | undefined; authMethod: ClientAuthMethod }

export function clientAuthOf({ secret, authMethod }: Client): oauth.ClientAuth {
  if (secret === undefined || authMethod === 'none') return oauth.None()
  return authMethod === 'client_secret_basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}

/** An address of an authorization server breaks the rule for endpoints. The message names it. */
export class EndpointRefused extends Error {
  override readonly name = 'EndpointRefused'
}

export function refuseInsecureEndpoint(name: string, address: string): void {
  const problem = problemWithEndpoint(address)
  if (problem !== undefined) throw new EndpointRefused(`The ${name} ${shown(address)} ${problem}`)
}

/** The message says why the authorization server did not register us. */
export class RegistrationFailed extends Error {
  override readonly name = 'RegistrationFailed'
}

export type Registered = Client & { secretExpiresAt: Date | undefined }

type Registration = { redirectUri: string; clientName: string; scopes: readonly string[] | undefined }

/** Registers us with an authorization server (RFC 7591). */
export async function registerClient(
  outbound: Outbound,
  authServer: AuthServer,
  { redirectUri, clientName, scopes }: Registration,
): Promise<Registered> {
  const { registration_endpoint: endpoint } = authServer
  if (endpoint === undefined) throw new RegistrationFailed('the authorization server registers no clients')
  refuseInsecureEndpoint('registration endpoint', endpoint)
  const metadata = {
    redirect_uris: [redirectUri],
    client_name: clientName,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: preferredMethod(authServer),
    ...(scopes && scopes.length > 0 && { scope: scopes.join(' ') }),
  }
  try {
    const response = await oauth.dynamicClientRegistrationRequest(authServer, metadata, {
      [oauth.customFetch]: fetchBy(outbound),
    })
    const registered = await oauth.processDynamicClientRegistrationResponse(response)
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = registered
    const expiry = Number(registered.client_secret_expires_at ?? 0)
    return {
      id,
      secret: typeof secret === 'string' ? secret : undefined,
      authMethod: methodOf(method, typeof secret === 'string'),
      secretExpiresAt: expiry > 0 ? new Date(expiry * 1000) : undefined,
    }
  } catch (error) {
    throw new RegistrationFailed(reasonOf(error), { cause: error })
  }
}

/** Without a secret where the server allows it: what is not stored cannot leak. */
function preferredMethod({ token_endpoint_auth_methods_supported: offered }: AuthServer): string {
  if (!offered || offered.length === 0) return 'none'
  return clientAuthMethods.find((method) => offered.includes(method)) ?? offered[0] ?? 'none'
}

/** The server's own default is HTTP Basic (RFC 7591, 2). */
export function methodOf(named: unknown, hasSecret: boolean): ClientAuthMethod {
  const known = clientAuthMethods.find((method) => method === named)
  return known ?? (hasSecret ? 'client_secret_basic' : 'none')
}

export function fetchBy(outbound: Outbound) {
  return (
    address: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ) =>
    outbound(address, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
    })
}

/** In words, without anything that the other side could put a secret into. */
function reasonOf(error: unknown): string {
  if (error instanceof RequestFailed) return error.message
  if (error instanceof oauth.ResponseBodyError) return `it answered ${error.status} (${codeOf(error.error)})`
  if (error instanceof oauth.OperationProcessingError) {
    const { status } = (error.cause ?? {}) as { status?: unknown } // the library gives the answer as the cause
    return typeof status === 'number' ? `it answered ${status}` : 'its answer cannot be read'
  }
  return 'its answer cannot be read'
}

/** An error code of OAuth is one word; what is not one is not repeated. */
export function codeOf(code: string): string {
  return /^[\w.-]{1,100}$/.test(code) ? code : 'no known code'
}
