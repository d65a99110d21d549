import { z } from 'zod'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { type Catalog, type DeclaredServer, fillIn, missingNames } from '../catalog/catalog.ts'
import { type RemoteServer, type SignInState, signInStateOf } from '../credentials/credential.ts'

/** The server as its token is bound to it. Undefined for one that runs here. */
export function remoteServerOf({ name, transport }: DeclaredServer): RemoteServer | undefined {
  if (transport.kind === 'stdio') return undefined
  const { kind, url, headers } = transport
  return { name, kind, url, headers }
}

/** Of the server that the catalog has under the name. */
export async function findSignInState(
  { catalog, clock }: Pick<App, 'catalog' | 'clock'>,
  db: Database | Transaction,
  serverName: string,
): Promise<SignInState> {
  const declared = catalog.current().mcpServers.find(serverName)
  const server = declared && remoteServerOf(declared)
  return server ? signInStateOf({ clock }, db, server, { declaresOauth: declared.oauth !== undefined }) : 'unknown'
}

/** Address and headers with the secrets of the catalog in them. */
export function filledIn(
  catalog: Catalog,
  { url, headers }: RemoteServer,
): { url: string; headers: Record<string, string> } {
  const fill = (text: string): string => fillIn(text, catalog.secrets().find)
  const filled = Object.entries(headers).map(([name, text]) => [name, fill(text)] as const)
  return { url: fill(url), headers: Object.fromEntries(filled.filter(([, value]) => value.trim() !== '')) }
}

const text = z.string().min(1).optional().catch(undefined)

/** What the catalog says of how to sign in. Both spellings are in use. */
const OauthSettings = z
  .object({
    clientId: text,
    client_id: text,
    clientSecret: text,
    client_secret: text,
    redirectUri: text,
    redirect_uri: text,
    authorizationEndpoint: text,
    authorization_endpoint: text,
    tokenEndpoint: text,
    token_endpoint: text,
    authServerMetadataUrl: text,
    resource: text,
    scopes: z.array(z.string()).optional().catch(undefined),
    manual: z.boolean().optional().catch(undefined),
  })
  .transform((entry) => ({
    clientId: entry.clientId ?? entry.client_id,
    clientSecret: entry.clientSecret ?? entry.client_secret,
    redirectUri: entry.redirectUri ?? entry.redirect_uri,
    authorizationEndpoint: entry.authorizationEndpoint ?? entry.authorization_endpoint,
    tokenEndpoint: entry.tokenEndpoint ?? entry.token_endpoint,
    metadataUrl: entry.authServerMetadataUrl,
    resource: entry.resource,
    scopes: entry.scopes,
    isManual: entry.manual ?? false,
  }))

export type OauthSettings = z.output<typeof OauthSettings>

export function oauthTextsOf({ oauth = {} }: DeclaredServer): string[] {
  return Object.values(oauth).filter((value) => typeof value === 'string')
}

/** A placeholder without a value is refused: it would be sent as it is written, in place of a secret. */
export function oauthSettingsOf(catalog: Catalog, server: DeclaredServer): OauthSettings {
  const { name, oauth = {} } = server
  const missing = missingNames(catalog, oauthTextsOf(server))
  if (missing.length > 0)
    refuse(
      'cannot_authorize',
      `The settings of ${name} need a value for ${missing.join(', ')}. Set it in secrets.json.`,
    )
  const fill = (value: unknown): unknown => (typeof value === 'string' ? fillIn(value, catalog.secrets().find) : value)
  return OauthSettings.parse(Object.fromEntries(Object.entries(oauth).map(([key, value]) => [key, fill(value)])))
}
