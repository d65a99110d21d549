import { type Registered, registerClient } from './client.ts'
import { type AuthServer, type Discovered, discover } from './discover.ts'
import { type Outbound, type OutboundOptions, openOutbound } from './outbound.ts'
import { exchangeCode, refreshTokens, type Tokens } from './tokens.ts'

/** The protocol of OAuth 2.1, as a client: finds authorization servers, registers with them, and gets tokens. Keeps nothing. */
export type OAuth = {
  discover(serverUrl: string, hints?: { metadataUrl?: string | undefined }): Promise<Discovered | undefined>
  register(authServer: AuthServer, about: Tail<typeof registerClient>): Promise<Registered>
  exchange(endpoint: Parameters<typeof exchangeCode>[1], grant: Tail<typeof exchangeCode>): Promise<Tokens>
  refresh(endpoint: Parameters<typeof refreshTokens>[1], grant: Tail<typeof refreshTokens>): Promise<Tokens>
}

type Tail<Call extends (outbound: Outbound, to: never, what: never) => unknown> = Parameters<Call>[2]

export function openOAuth(options: OutboundOptions): OAuth {
  const outbound = openOutbound(options)
  return {
    discover: (serverUrl, hints) => discover(outbound, serverUrl, hints),
    register: (authServer, about) => registerClient(outbound, authServer, about),
    exchange: (endpoint, grant) => exchangeCode(outbound, endpoint, grant),
    refresh: (endpoint, grant) => refreshTokens(outbound, endpoint, grant),
  }
}
