import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { connectorsChanged } from './events.ts'
import { mcpCredentials, placeOf, stateOfCredential } from './mcp-credential.ts'
import { type McpCredentialRow, rejectToken, selectByKey } from './mcp-credential-store.ts'
import { isRefreshable, openFrom, refreshIfDue, type Wanted } from './refresh.ts'

/**
 * `later`: the token is of no use any more, and the authorization server cannot be asked now. `refused`: the only token is the one
 * that the server has refused, and there is nothing to renew it with.
 */
export type TokenAnswer =
  | { kind: 'token'; token: string; sealed: string; row: McpCredentialRow }
  | { kind: 'missing' | 'needs_reauth' | 'refused' }
  | { kind: 'later'; reason: string }

/** A token with less than this left is refreshed before an agent starts. */
export const spawnMarginSeconds = 15 * 60

/** The access token for a server, refreshed if it must be. */
export async function findToken(app: App, key: string, wanted: Wanted): Promise<TokenAnswer> {
  let row = await selectByKey(app.db, key)
  if (!row) return { kind: 'missing' }
  if (await refreshIfDue(app, mcpCredentials, row, wanted)) row = await selectByKey(app.db, key)
  if (!row) return { kind: 'missing' }
  const state = stateOfCredential(row, app.clock.now())
  const token = openFrom(app, placeOf(row.id, 'access_token'), row.access_token)
  if (state === 'ready' && token !== undefined && row.access_token !== wanted.refused)
    return { kind: 'token', token, sealed: row.access_token, row }
  if (state === 'needs_reauth') return { kind: 'needs_reauth' }
  if (state === 'ready' && !isRefreshable(row)) return { kind: 'refused' }
  return { kind: 'later', reason: row.refresh_error ?? 'The token is being refreshed' }
}

/** The server refused a token that has not expired, and there is no other: a person has to sign in again. */
export function recordRejected(app: App, { row, sealed }: Extract<TokenAnswer, { kind: 'token' }>): Promise<boolean> {
  return transact(app.db, async (tx) => {
    const isRejected = await rejectToken(tx, row.id, sealed, 'The server refuses the token. Authorize it again.')
    if (isRejected) await app.events.publish(tx, connectorsChanged, { payload: {} })
    return isRejected
  })
}
