import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Client } from '../../platform/oauth/client.ts'
import { isSecureEndpoint } from '../../platform/oauth/endpoint-rule.ts'
import type { Tokens } from '../../platform/oauth/tokens.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { idOfKey } from './credential-id.ts'
import { type CredentialKind, expiryOf, refreshIfDue, sealIn } from './refresh.ts'
import {
  deleteSocial,
  type SocialCredentialRow,
  selectAllSocial,
  selectByVariables,
  updateEndpoint,
  upsertSocial,
} from './social-credential-store.ts'

/** How this server signs in to the social network, as it is configured. */
export type SocialSettings = {
  clientId: string | undefined
  clientSecret: string | undefined
  redirectUri: string
  authorizationEndpoint: string
  tokenEndpoint: string
}

declare module '../app.ts' {
  interface App {
    social: SocialSettings
  }
}

export const socialEndpoints = {
  authorization: 'https://x.com/i/oauth2/authorize',
  token: 'https://api.x.com/2/oauth2/token',
} as const

/** The same words stand in a check of the table: no token takes the place of another secret. */
export const variablePattern = /^X_[A-Z0-9_]{1,100}$/

/** Undefined unless the provider knows us. It takes the secret as HTTP Basic. */
export function socialClient({ social: { clientId: id, clientSecret: secret } }: Pick<App, 'social'>) {
  if (id === undefined || secret === undefined) return undefined
  return { id, secret, authMethod: 'client_secret_basic' } satisfies Client
}

export function socialCredentials(client: Client): CredentialKind<SocialCredentialRow> {
  return {
    table: 'social_credentials',
    clientOf: () => client,
    about: ({ account_key }) => ({ account: account_key }),
    remedy: 'Authorize the account again.',
    clientRemedy: 'Correct X_OAUTH_CLIENT_ID and X_OAUTH_CLIENT_SECRET, and restart.',
  }
}

/** A token with less than this left is refreshed before it is filled in, and in the background. */
const spawnMarginSeconds = 15 * 60
export const backgroundMarginSeconds = 30 * 60

/** Before the names are filled in for an agent. A failed refresh leaves the old token in use. */
export async function freshenVended(app: App, names: readonly string[]): Promise<void> {
  const variables = names.filter((name) => variablePattern.test(name))
  if (variables.length === 0) return
  const client = socialClient(app)
  if (client) {
    const kind = socialCredentials(client)
    for (const row of await selectByVariables(app.db, variables))
      await refreshIfDue(app, kind, row, { marginSeconds: spawnMarginSeconds })
  }
  await app.vended.renew()
}

type SocialGrant = { accountKey: string; variable: string; tokenEndpoint: string; scopes: string; tokens: Tokens }

/** Stores both tokens, and returns the id of the credential. */
export async function storeSocialGrant(app: App, tx: Transaction, grant: SocialGrant): Promise<string> {
  const { accountKey, variable, tokenEndpoint, scopes, tokens } = grant
  const id = idOfKey(`social credential ${accountKey}`)
  await refuseTaken(tx, variable, accountKey)
  await upsertSocial(tx, {
    id,
    account_key: accountKey,
    access_token_env_var: variable,
    access_token: app.vault.seal(placeOf(id, 'access_token'), tokens.accessToken),
    refresh_token: sealIn(app, placeOf(id, 'refresh_token'), tokens.refreshToken),
    token_endpoint: tokenEndpoint,
    scopes: tokens.scope ?? scopes,
    expires_at: expiryOf(app, tokens),
  })
  return id
}

export async function refuseTaken(db: Database | Transaction, variable: string, accountKey: string): Promise<void> {
  const [row] = await selectByVariables(db, [variable])
  if (row && row.account_key !== accountKey)
    refuse('cannot_authorize', `${variable} belongs to the account ${row.account_key}`)
}

export async function forgetSocial(app: App, id: string): Promise<void> {
  if (!(await deleteSocial(app.db, id))) refuseMissing()
  await app.vended.renew()
}

/** A stored endpoint that breaks the rule for endpoints is replaced by the provider's own. */
export async function repairEndpoints(db: Database): Promise<void> {
  for (const { id, token_endpoint } of await selectAllSocial(db))
    if (!isSecureEndpoint(token_endpoint)) await updateEndpoint(db, id, socialEndpoints.token)
}

export function placeOf(id: string, column: 'access_token' | 'refresh_token') {
  return { table: 'social_credentials', column, id } as const
}
