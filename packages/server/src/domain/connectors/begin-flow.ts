import { randomUUID } from 'node:crypto'
import { transact } from '../../platform/db/transact.ts'
import { consentAddress, newProof, stateHashOf } from '../../platform/oauth/authorize.ts'
import {
  type Client,
  EndpointRefused,
  methodOf,
  RegistrationFailed,
  refuseInsecureEndpoint,
} from '../../platform/oauth/client.ts'
import { type AuthServer, type Discovered, DiscoveryFailed } from '../../platform/oauth/discover.ts'
import { shown } from '../../platform/oauth/outbound.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { type DeclaredServer, takesSignIn } from '../catalog/catalog.ts'
import {
  credentialKeyOf,
  listSecretUses,
  ownAddress,
  type RemoteServer,
  recordNeed,
  signInStateOf,
} from '../credentials/credential.ts'
import { connectorsChanged } from '../credentials/events.ts'
import { findSession } from '../sessions/session.ts'
import { insertFlow, replaceClient, selectClient } from './flow-store.ts'
import { resumeWaiting } from './parking.ts'
import { filledIn, type OauthSettings, oauthSettingsOf, remoteServerOf } from './remote-server.ts'

/** What a person does next. `paste`: the authorization server sends them to an address that is not ours, which they paste here. */
export type NextStep =
  | { kind: 'consent' | 'paste'; url: string; state: string; serverName: string }
  | { kind: 'authorized'; serverName: string }

type Asked = {
  serverName: string
  sessionId?: number | undefined
  signInId?: number | undefined
  /** Where the person goes back to after their consent. Undefined: to the host of the callback. */
  returnOrigin?: string | undefined
  /** Also if there is a token that works. */
  again?: boolean
}

const flowHours = 24
const clientName = 'Yardmaster'
/** For an authorization server that registers no one and that the catalog has no client for. */
const fallbackClientId = 'yardmaster'

export function findDeclared({ catalog }: App, serverName: string): DeclaredServer {
  return catalog.current().mcpServers.find(serverName) ?? refuse('not_found', `No MCP server is named ${serverName}`)
}

/** Begins an authorization: finds out who authorizes access to the server, and where a person gives their consent. */
export async function beginFlow(
  app: App,
  { serverName, sessionId, signInId, returnOrigin, again = false }: Asked,
): Promise<NextStep> {
  const declared = findDeclared(app, serverName)
  const server = remoteServerOf(declared)
  if (!server || !takesSignIn(declared))
    return refuse('cannot_authorize', `${serverName} takes no sign-in: it runs here, or the catalog has its key`)
  if (sessionId !== undefined) await findSession(app.db, { id: sessionId })
  const about = { declaresOauth: declared.oauth !== undefined }
  if (!again && (await signInStateOf(app, app.db, server, about)) === 'ready') {
    await transact(app.db, (tx) => resumeWaiting(app, tx, server.name))
    return { kind: 'authorized', serverName: server.name }
  }
  const settings = oauthSettingsOf(app.catalog, declared)
  const ownRedirect = await ownAddress(app, '/mcp_oauth/callback')
  const redirectUri = settings.redirectUri ?? ownRedirect
  const { discovered, client } = await refusing(() => findEndpoints(app, server, settings, redirectUri))
  return openFlow(app, {
    server,
    discovered,
    client,
    redirectUri,
    isManual: settings.isManual || redirectUri !== ownRedirect,
    scopes: scopesOf(settings, discovered),
    resource: settings.resource ?? discovered.resource,
    sessionId,
    signInId,
    returnOrigin,
  })
}

/** What other parties did wrong is told to the person who asked. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EndpointRefused)
      return refuse('cannot_authorize', `${error.message}. Tokens are only sent to https addresses.`)
    if (error instanceof DiscoveryFailed) return refuse('cannot_authorize', error.message)
    if (error instanceof RegistrationFailed)
      return refuse(
        'cannot_authorize',
        `The registration with the authorization server failed: ${error.message}. Put a client of your own into the catalog (oauth.clientId).`,
      )
    throw error
  }
}

type Endpoints = { discovered: Discovered; client: Client }

/** Every address is checked before the person is sent anywhere. */
async function findEndpoints(
  app: App,
  server: RemoteServer,
  settings: OauthSettings,
  redirectUri: string,
): Promise<Endpoints> {
  const { url } = filledIn(app.catalog, server)
  refuseInsecureEndpoint('MCP server', url)
  const problem = app.upstream.problemWith(url)
  if (problem !== undefined)
    refuse(
      'cannot_authorize',
      `The address of ${server.name} ${problem}. If it may be on a private network, add ${new URL(url).origin} to OAUTH_ALLOWED_ORIGINS and start again.`,
    )
  const discovered = preRegistered(settings, url) ?? (await app.oauth.discover(url, settings))
  if (!discovered) {
    await transact(app.db, async (tx) => {
      await recordNeed(tx, server.url, false)
      await app.events.publish(tx, connectorsChanged, { payload: {} })
    })
    return refuse('cannot_authorize', `${server.name} asks for no sign-in`)
  }
  const authServer = withChosen(discovered.authServer, settings)
  refuseInsecureEndpoint('authorization endpoint', authServer.authorization_endpoint)
  refuseInsecureEndpoint('token endpoint', authServer.token_endpoint)
  await refuseOtherAuthServer(app, server, authServer, settings)
  return {
    discovered: { ...discovered, authServer },
    client: await findClient(app, authServer, settings, redirectUri),
  }
}

/** An endpoint of the catalog comes before the one that the authorization server names. */
function withChosen(authServer: AuthServer, { authorizationEndpoint, tokenEndpoint }: OauthSettings): AuthServer {
  return {
    ...authServer,
    ...(authorizationEndpoint !== undefined && { authorization_endpoint: authorizationEndpoint }),
    ...(tokenEndpoint !== undefined && { token_endpoint: tokenEndpoint }),
  }
}

/**
 * A secret of the catalog stays with the authorization server at which a person has used it. Otherwise an MCP server could name another
 * one at any time and be sent the secret. What the catalog itself names is not asked about.
 */
async function refuseOtherAuthServer(
  app: App,
  server: RemoteServer,
  { issuer, token_endpoint }: AuthServer,
  { clientId, clientSecret, tokenEndpoint, metadataUrl }: OauthSettings,
): Promise<void> {
  if (clientId === undefined || clientSecret === undefined) return
  if (tokenEndpoint !== undefined || metadataUrl !== undefined) return
  const uses = await listSecretUses(app.db, clientId)
  const [first] = uses
  if (!first || uses.some((use) => use.issuer === issuer || use.token_endpoint === token_endpoint)) return
  const names = uses.map(({ server_name }) => server_name).join(', ')
  const used = shown(first.issuer ?? first.token_endpoint ?? '')
  const why = `${server.name} names the authorization server ${shown(issuer)}, but the secret of the client ${clientId} belongs to ${used}.`
  const remedy = `If the server has moved, disconnect ${names} and authorize again, or write oauth.authServerMetadataUrl into the catalog.`
  refuse('cannot_authorize', `${why} ${remedy}`)
}

/** A client with both endpoints in the catalog needs no discovery. */
function preRegistered(
  { clientId, authorizationEndpoint, tokenEndpoint, scopes, resource }: OauthSettings,
  serverUrl: string,
): Discovered | undefined {
  if (clientId === undefined || authorizationEndpoint === undefined || tokenEndpoint === undefined) return undefined
  const issuer = URL.canParse(tokenEndpoint) ? new URL(tokenEndpoint).origin : tokenEndpoint
  return {
    authServer: { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint },
    resource: resource ?? serverUrl.replace(/[?#].*$/, '').replace(/\/+$/, ''),
    scopes,
  }
}

async function findClient(
  app: App,
  authServer: AuthServer,
  { clientId, clientSecret }: OauthSettings,
  redirectUri: string,
): Promise<Client> {
  if (clientId !== undefined) {
    const methods = authServer.token_endpoint_auth_methods_supported ?? ['client_secret_post']
    const preferred = methods.includes('client_secret_post') ? 'client_secret_post' : undefined
    return {
      id: clientId,
      secret: clientSecret,
      authMethod: clientSecret === undefined ? 'none' : methodOf(preferred, true),
    }
  }
  const { issuer, registration_endpoint: endpoint } = authServer
  const known = await selectClient(app.db, issuer, redirectUri)
  if (known) {
    const secret = known.client_secret === null ? undefined : app.vault.open(clientPlace(known.id), known.client_secret)
    return { id: known.client_id, secret, authMethod: known.client_auth_method }
  }
  if (endpoint === undefined) return { id: fallbackClientId, secret: undefined, authMethod: 'none' }
  const made = await app.oauth.register(authServer, { redirectUri, clientName, scopes: authServer.scopes_supported })
  const id = randomUUID()
  await transact(app.db, (tx) =>
    replaceClient(tx, {
      id,
      issuer,
      redirect_uri: redirectUri,
      client_id: made.id,
      client_auth_method: made.authMethod,
      client_secret: made.secret === undefined ? null : app.vault.seal(clientPlace(id), made.secret),
      secret_expires_at: made.secretExpiresAt ?? null,
    }),
  )
  return made
}

function clientPlace(id: string) {
  return { table: 'mcp_oauth_clients', column: 'client_secret', id }
}

/** An authorization server that has `offline_access` gives a refresh token only for it. */
function scopesOf({ scopes: chosen }: OauthSettings, { authServer, scopes = [] }: Discovered): readonly string[] {
  if (chosen) return chosen
  const isOffered = authServer.scopes_supported?.includes('offline_access') ?? false
  return isOffered ? [...new Set([...scopes, 'offline_access'])] : scopes
}

type Opening = Endpoints & {
  server: RemoteServer
  redirectUri: string
  isManual: boolean
  scopes: readonly string[]
  resource: string | undefined
  sessionId: number | undefined
  signInId: number | undefined
  returnOrigin: string | undefined
}

async function openFlow(app: App, opening: Opening): Promise<NextStep> {
  const { server, discovered, client, redirectUri, isManual, scopes, resource } = opening
  const { authServer } = discovered
  const id = randomUUID()
  const proof = newProof()
  const url = await consentAddress({
    authorizationEndpoint: authServer.authorization_endpoint,
    clientId: client.id,
    redirectUri,
    scopes,
    resource,
    proof,
  })
  const place = (column: string) => ({ table: 'mcp_oauth_flows', column, id })
  await transact(app.db, async (tx) => {
    await insertFlow(tx, {
      id,
      state_hash: stateHashOf(proof.state),
      session_id: opening.sessionId ?? null,
      sign_in_id: opening.signInId ?? null,
      server_name: server.name,
      credential_key: credentialKeyOf(server),
      server: JSON.stringify(server),
      issuer: authServer.issuer,
      token_endpoint: authServer.token_endpoint,
      client_id: client.id,
      client_auth_method: client.authMethod,
      client_secret: client.secret === undefined ? null : app.vault.seal(place('client_secret'), client.secret),
      code_verifier: app.vault.seal(place('code_verifier'), proof.codeVerifier),
      redirect_uri: redirectUri,
      scopes: scopes.length > 0 ? scopes.join(' ') : null,
      resource: resource ?? null,
      is_manual: isManual,
      return_origin: opening.returnOrigin ?? null,
      expires_at: new Date(app.clock.now().getTime() + flowHours * 3_600_000),
    })
    await app.events.publish(tx, connectorsChanged, { payload: {} })
  })
  return { kind: isManual ? 'paste' : 'consent', url, state: proof.state, serverName: server.name }
}
