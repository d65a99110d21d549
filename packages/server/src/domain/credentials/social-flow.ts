import { randomUUID } from 'node:crypto'
import { transact } from '../../platform/db/transact.ts'
import { consentAddress, newProof, readPasted, reasonOf, stateHashOf } from '../../platform/oauth/authorize.ts'
import { EndpointRefused, refuseInsecureEndpoint } from '../../platform/oauth/client.ts'
import { TokenRequestFailed, type Tokens, untilSent } from '../../platform/oauth/tokens.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { ownAddress } from './own-address.ts'
import { refuseTaken, socialClient, storeSocialGrant, variablePattern } from './social-credential.ts'
import { insertFlow, type SocialFlowRow, takeFlow } from './social-credential-store.ts'

const flowMinutes = 30
/** To read, also private bookmarks, and to go on without the person. */
const scopes = ['tweet.read', 'users.read', 'bookmark.read', 'offline.access']
export const callbackPath = '/supervisor/x_oauth/callback'

/** `paste`: the provider sends the person to an address that is not ours, which they paste here. */
export type SocialStep = { kind: 'consent' | 'paste'; url: string; state: string }

export async function beginSocialFlow(
  app: App,
  { accountKey, variable }: { accountKey: string; variable: string },
): Promise<SocialStep> {
  const client = socialClient(app) ?? refuseUnset()
  const { redirectUri, authorizationEndpoint, tokenEndpoint } = app.social
  if (!/^[\w.@-]{1,100}$/.test(accountKey))
    refuse('cannot_authorize', 'Account key must be 1 to 100 letters, digits, dots, hyphens or underscores')
  if (!variablePattern.test(variable))
    refuse('cannot_authorize', 'Access token env var must begin with X_ and have only capital letters, digits and _')
  await refuseTaken(app.db, variable, accountKey)
  refuseInsecure('authorization endpoint', authorizationEndpoint)
  refuseInsecure('token endpoint', tokenEndpoint)
  const id = randomUUID()
  const proof = newProof()
  await transact(app.db, (tx) =>
    insertFlow(tx, {
      id,
      state_hash: stateHashOf(proof.state),
      account_key: accountKey,
      access_token_env_var: variable,
      token_endpoint: tokenEndpoint,
      code_verifier: app.vault.seal(verifierPlace(id), proof.codeVerifier),
      redirect_uri: redirectUri,
      expires_at: new Date(app.clock.now().getTime() + flowMinutes * 60_000),
    }),
  )
  const about = { authorizationEndpoint, clientId: client.id, redirectUri, scopes, resource: undefined, proof }
  const isOurs = redirectUri === (await ownAddress(app, callbackPath))
  return { kind: isOurs ? 'consent' : 'paste', url: await consentAddress(about), state: proof.state }
}

type Returned = { code?: string | undefined; error?: string | undefined }

/** The state is good once. Returns the id of the credential. */
export async function completeSocialFlow(app: App, state: string, { code, error }: Returned): Promise<string> {
  const flow = await takeFlow(app.db, state)
  if (!flow || flow.expires_at <= app.clock.now())
    return refuse(
      'cannot_authorize',
      'This authorization is not known: it was completed, replaced or has expired. Begin again.',
    )
  if (error !== undefined) refuse('cannot_authorize', `The provider refused: ${reasonOf(error)}. Begin again.`)
  if (!code) return refuse('cannot_authorize', 'The answer has no code. Begin again.')
  const tokens = await exchange(app, flow, code)
  const { account_key: accountKey, access_token_env_var: variable, token_endpoint: tokenEndpoint } = flow
  const grant = { accountKey, variable, tokenEndpoint, scopes: scopes.join(' '), tokens }
  const id = await transact(app.db, (tx) => storeSocialGrant(app, tx, grant))
  await app.vended.renew()
  return id
}

/** With what a person pasted: the whole address, or only the code. */
export function completePastedSocial(app: App, state: string, pasted: string): Promise<string> {
  const { state: named, ...returned } = readPasted(pasted)
  if (named !== undefined && named !== state)
    return refuse('cannot_authorize', 'This address belongs to another authorization. Paste the one of this one.')
  if (returned.code === undefined && returned.error === undefined)
    return refuse('cannot_authorize', 'Paste the whole address that your browser was sent to, or the code in it.')
  return completeSocialFlow(app, state, returned)
}

async function exchange(app: App, flow: SocialFlowRow, code: string): Promise<Tokens> {
  const endpoint = { address: flow.token_endpoint, client: socialClient(app) ?? refuseUnset() }
  const codeVerifier = app.vault.open(verifierPlace(flow.id), flow.code_verifier)
  const grant = { code, codeVerifier, redirectUri: flow.redirect_uri, resource: undefined }
  try {
    return await untilSent(() => app.oauth.exchange(endpoint, grant))
  } catch (error) {
    if (error instanceof TokenRequestFailed) return refuse('cannot_authorize', `${error.message}. Begin again.`)
    throw error
  }
}

function refuseInsecure(name: string, address: string): void {
  try {
    refuseInsecureEndpoint(name, address)
  } catch (error) {
    if (!(error instanceof EndpointRefused)) throw error
    refuse('cannot_authorize', `${error.message}. Tokens are only sent to https addresses.`)
  }
}

function refuseUnset(): never {
  return refuse('cannot_authorize', 'Set X_OAUTH_CLIENT_ID and X_OAUTH_CLIENT_SECRET, and start Yardmaster again')
}

function verifierPlace(id: string) {
  return { table: 'social_oauth_flows', column: 'code_verifier', id }
}
