import { transact } from '../../platform/db/transact.ts'
import { readPasted, reasonOf } from '../../platform/oauth/authorize.ts'
import type { Client } from '../../platform/oauth/client.ts'
import { TokenRequestFailed, type Tokens, untilSent } from '../../platform/oauth/tokens.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { storeGrant } from '../credentials/credential.ts'
import { connectorsChanged } from '../credentials/events.ts'
import { findSignInById } from '../sign-ins/sign-in.ts'
import { deleteClient, type FlowRow, takeFlow } from './flow-store.ts'
import { resumeWaiting } from './parking.ts'

/** What the authorization server sent the person back with. */
export type Returned = { code?: string | undefined; error?: string | undefined; iss?: string | undefined }

export type Completed = { serverName: string; sessionId: number | null; resumed: readonly number[] }

/** The browser that brings the answer, if it is known. */
type Bearer = { signInId?: number | undefined }

/**
 * Exchanges the code for tokens, stores them, and resumes every session that waited for the server, in one transaction. The state is
 * good once, and only while the person who began is signed in.
 */
export async function completeFlow(
  app: App,
  state: string,
  returned: Returned,
  { signInId }: Bearer = {},
): Promise<Completed> {
  const flow = await transact(app.db, async (tx) => {
    const taken = await takeFlow(tx, state)
    if (taken) await app.events.publish(tx, connectorsChanged, { payload: {} })
    return taken
  })
  if (!flow)
    return refuse(
      'cannot_authorize',
      'This authorization is not known: it was completed, replaced or has expired. Begin again.',
    )
  if (flow.expires_at <= app.clock.now()) refuse('cannot_authorize', 'This authorization has expired. Begin again.')
  await refuseStranger(app, flow, signInId)
  const code = codeIn(flow, returned)
  const client = clientOf(app, flow)
  const tokens = await exchange(app, flow, client, code)
  return transact(app.db, async (tx) => {
    const { server, issuer, token_endpoint: tokenEndpoint, scopes, resource } = flow
    await storeGrant(app, tx, { server, issuer, client, tokenEndpoint, tokens, scopes, resource })
    const resumed = await resumeWaiting(app, tx, server.name)
    return { serverName: server.name, sessionId: flow.session_id, resumed }
  })
}

/** As `completeFlow`, with what a person pasted: the whole address, or only the code. */
export function completePasted(app: App, state: string, pasted: string, bearer: Bearer = {}): Promise<Completed> {
  const { state: named, ...returned } = readPasted(pasted)
  if (named !== undefined && named !== state)
    return refuse(
      'cannot_authorize',
      'This address belongs to another authorization. Paste the one of this authorization.',
    )
  if (returned.code === undefined && returned.error === undefined)
    return refuse('cannot_authorize', 'Paste the whole address that your browser was sent to, or the code in it.')
  return completeFlow(app, state, returned, bearer)
}

/** The answer of another browser is not taken, nor one that comes after its person has signed out. */
async function refuseStranger(app: App, flow: FlowRow, signInId: number | undefined): Promise<void> {
  const owner = flow.sign_in_id
  if (owner === null) return
  const isOther = signInId !== undefined && signInId !== owner
  if (isOther || !(await findSignInById(app, owner)))
    refuse(
      'cannot_authorize',
      'This authorization was begun in another browser, or its sign-in has ended. Begin again.',
    )
}

function codeIn(flow: FlowRow, { code, error, iss }: Returned): string {
  if (error !== undefined) return refuse('cannot_authorize', `The authorization server refused: ${reasonOf(error)}`)
  // RFC 9207: an answer of another authorization server than the one that was asked.
  if (iss !== undefined && flow.issuer !== null && !isSame(iss, flow.issuer))
    return refuse('cannot_authorize', 'The answer comes from another authorization server than the one that was asked.')
  return code === undefined || code === '' ? refuse('cannot_authorize', 'The answer has no code. Begin again.') : code
}

function isSame(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href
}

function clientOf(app: App, flow: FlowRow): Client {
  const secret = flow.client_secret === null ? undefined : openFrom(app, flow, 'client_secret', flow.client_secret)
  return { id: flow.client_id, secret, authMethod: flow.client_auth_method }
}

function openFrom(app: App, { id }: FlowRow, column: string, sealed: string): string {
  return app.vault.open({ table: 'mcp_oauth_flows', column, id }, sealed)
}

async function exchange(app: App, flow: FlowRow, client: Client, code: string): Promise<Tokens> {
  const codeVerifier = openFrom(app, flow, 'code_verifier', flow.code_verifier)
  const grant = { code, codeVerifier, redirectUri: flow.redirect_uri, resource: flow.resource ?? undefined }
  try {
    return await untilSent(() => app.oauth.exchange({ address: flow.token_endpoint, client }, grant))
  } catch (error) {
    if (!(error instanceof TokenRequestFailed)) throw error
    if (error.code === 'invalid_client' && flow.issuer !== null) await deleteClient(app.db, flow.issuer, client.id)
    return refuse('cannot_authorize', `${error.message}. Begin again.`)
  }
}
