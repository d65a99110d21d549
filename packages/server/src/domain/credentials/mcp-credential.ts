import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Client } from '../../platform/oauth/client.ts'
import { isSecureEndpoint } from '../../platform/oauth/endpoint-rule.ts'
import type { Tokens } from '../../platform/oauth/tokens.ts'
import type { App } from '../app.ts'
import { idOfKey } from './credential-id.ts'
import { connectorsChanged } from './events.ts'
import {
  clearEndpoint,
  deleteCredential,
  type McpCredentialRow,
  selectAll,
  selectByKey,
  selectProbe,
  selectSecretUses,
  upsertCredential,
  upsertProbe,
} from './mcp-credential-store.ts'
import { type CredentialKind, expiryOf, isRefreshable, openFrom, sealIn } from './refresh.ts'

/** A remote MCP server as the catalog declares it: what its token is bound to. */
export type RemoteServer = {
  name: string
  kind: 'http' | 'sse'
  url: string
  headers: Readonly<Record<string, string>>
}

/** A server with another address or other headers has another key, so that no token reaches it that was given for this one. */
export function credentialKeyOf({ name, kind, url, headers }: RemoteServer): string {
  const digest = createHash('sha256')
    .update(JSON.stringify({ type: kind, url, headers }))
    .digest('hex')
  return `${name}|${digest.slice(0, 16)}`
}

/** The sign-in of a server, by what is stored here. */
export type SignInState =
  | 'ready'
  | 'token_expired'
  | 'needs_authorization'
  | 'needs_reauth'
  | 'not_required'
  | 'unknown'

export async function signInStateOf(
  { clock }: Pick<App, 'clock'>,
  db: Database | Transaction,
  server: RemoteServer,
  { declaresOauth }: { declaresOauth: boolean },
): Promise<SignInState> {
  const row = await selectByKey(db, credentialKeyOf(server))
  if (row) return stateOfCredential(row, clock.now())
  if (declaresOauth) return 'needs_authorization'
  const isRequired = await selectProbe(db, server.url)
  if (isRequired === undefined) return 'unknown'
  return isRequired ? 'needs_authorization' : 'not_required'
}

export function stateOfCredential(row: McpCredentialRow, now: Date): 'ready' | 'token_expired' | 'needs_reauth' {
  if (row.expires_at === null || row.expires_at > now) return 'ready'
  return isRefreshable(row) ? 'token_expired' : 'needs_reauth'
}

export function listCredentials(db: Database | Transaction): Promise<McpCredentialRow[]> {
  return selectAll(db)
}

/** Where a person has used the secret of this client. */
export const listSecretUses = selectSecretUses

/** What a person granted. */
export type Grant = {
  server: RemoteServer
  issuer: string | null
  client: Client
  tokenEndpoint: string
  tokens: Tokens
  scopes: string | null
  resource: string | null
}

/** Stores both tokens of a grant. It takes the place of an earlier grant for the server. */
export async function storeGrant(app: App, tx: Transaction, grant: Grant): Promise<void> {
  const { server, client, tokens } = grant
  const key = credentialKeyOf(server)
  const id = idOfKey(`mcp credential ${key}`)
  await upsertCredential(tx, {
    id,
    credential_key: key,
    server_name: server.name,
    server_url: server.url,
    issuer: grant.issuer,
    client_id: client.id,
    client_auth_method: client.authMethod,
    client_secret: sealIn(app, placeOf(id, 'client_secret'), client.secret),
    access_token: app.vault.seal(placeOf(id, 'access_token'), tokens.accessToken),
    refresh_token: sealIn(app, placeOf(id, 'refresh_token'), tokens.refreshToken),
    refresh_token_unsupported: tokens.refreshToken === undefined,
    token_endpoint: grant.tokenEndpoint,
    scopes: tokens.scope ?? grant.scopes,
    resource: grant.resource,
    expires_at: expiryOf(app, tokens),
  })
  await upsertProbe(tx, server.url, true)
  await app.events.publish(tx, connectorsChanged, { payload: {} })
}

export const forgetCredential = deleteCredential

/** Whether a server asks for a token, as it was seen. */
export function recordNeed(tx: Transaction, serverUrl: string, isRequired: boolean): Promise<void> {
  return upsertProbe(tx, serverUrl, isRequired)
}

export const mcpCredentials: CredentialKind<McpCredentialRow> = {
  table: 'mcp_credentials',
  clientOf: (app, row) => ({
    id: row.client_id,
    secret: openFrom(app, placeOf(row.id, 'client_secret'), row.client_secret),
    authMethod: row.client_auth_method,
  }),
  resourceOf: ({ resource }) => resource,
  about: ({ server_name }) => ({ server: server_name }),
  remedy: 'Authorize the server again.',
  changed: connectorsChanged,
}

/** A stored endpoint that breaks the rule for endpoints is forgotten: the token cannot be renewed. */
export async function forgetBadEndpoints(db: Database): Promise<void> {
  for (const { id, token_endpoint } of await selectAll(db))
    if (token_endpoint !== null && !isSecureEndpoint(token_endpoint))
      await clearEndpoint(db, id, 'The stored token endpoint is not an https address. Authorize the server again.')
}

export function placeOf(id: string, column: 'client_secret' | 'access_token' | 'refresh_token') {
  return { table: 'mcp_credentials', column, id } as const
}
