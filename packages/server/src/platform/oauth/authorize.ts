import { createHash, randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'

/** What ties the answer of an authorization server to the request that we made. */
export type Proof = { state: string; codeVerifier: string }

export function newProof(): Proof {
  return { state: randomBytes(32).toString('base64url'), codeVerifier: oauth.generateRandomCodeVerifier() }
}

/** What is stored of a state: the state itself is only in the address of the authorization server. */
export function stateHashOf(state: string): Buffer {
  return createHash('sha256').update(`oauth state ${state}`).digest()
}

type Consent = {
  authorizationEndpoint: string
  clientId: string
  redirectUri: string
  scopes: readonly string[]
  resource: string | undefined
  proof: Proof
}

/** Where a person gives consent. */
export async function consentAddress(consent: Consent): Promise<string> {
  const { authorizationEndpoint, clientId, redirectUri, scopes, resource, proof } = consent
  const address = new URL(authorizationEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: proof.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(proof.codeVerifier),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource }),
    // OpenID gives a refresh token only after consent. Google asks for it in a parameter of its own.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
    ...(address.hostname === 'accounts.google.com' && { access_type: 'offline', prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** What a person pastes: the whole address that their browser was sent to, or only the code. */
export function readPasted(text: string): { code?: string; state?: string; error?: string; iss?: string } {
  const pasted = text.trim()
  if (!/^https?:\/\//i.test(pasted) || !URL.canParse(pasted))
    return pasted === '' || /\s/.test(pasted) ? {} : { code: pasted }
  const { searchParams } = new URL(pasted)
  const found = ['code', 'state', 'error', 'iss'].flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}

/** An error code of the answer is one word; what is not one is not repeated. */
export function reasonOf(error: string): string {
  return /^[\w.-]{1,100}$/.test(error) ? error : 'no known reason'
}
