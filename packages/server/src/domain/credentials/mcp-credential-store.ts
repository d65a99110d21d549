import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { ClientAuthMethod } from '../../platform/oauth/client.ts'
import { noRefresh, type RefreshColumns } from './credential-store.ts'

type McpCredentialTable = RefreshColumns & {
  credential_key: string
  server_name: string
  server_url: string
  issuer: string | null
  client_id: string
  client_auth_method: ClientAuthMethod
  client_secret: string | null
  scopes: string | null
  resource: string | null
  refresh_token_unsupported: boolean
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mcp_credentials: McpCredentialTable
    mcp_server_probes: { server_url: string; requires_oauth: boolean; checked_at: Generated<Date> }
  }
}

export type McpCredentialRow = Selectable<McpCredentialTable>

export function selectByKey(db: Database | Transaction, key: string): Promise<McpCredentialRow | undefined> {
  return db.selectFrom('mcp_credentials').selectAll().where('credential_key', '=', key).executeTakeFirst()
}

export function selectAll(db: Database | Transaction): Promise<McpCredentialRow[]> {
  return db.selectFrom('mcp_credentials').selectAll().orderBy('server_name').execute()
}

export type SecretUse = Pick<McpCredentialRow, 'server_name' | 'issuer' | 'token_endpoint'>

/** The credentials of a client that has a secret. */
export function selectSecretUses(db: Database, clientId: string): Promise<SecretUse[]> {
  return db
    .selectFrom('mcp_credentials')
    .select(['server_name', 'issuer', 'token_endpoint'])
    .where('client_id', '=', clientId)
    .where('client_secret', 'is not', null)
    .orderBy('created_at')
    .execute()
}

/**
 * A refresh token belongs to its client at one authorization server: it stays if the new grant of both has none. A server that
 * names another authorization server must not get the token of the earlier one.
 */
export async function upsertCredential(tx: Transaction, values: Insertable<McpCredentialTable>): Promise<void> {
  const kept = sql<string | null>`case
    when (mcp_credentials.client_id, mcp_credentials.issuer, mcp_credentials.token_endpoint)
      is not distinct from (excluded.client_id, excluded.issuer, excluded.token_endpoint)
    then coalesce(excluded.refresh_token, mcp_credentials.refresh_token)
    else excluded.refresh_token
  end`
  await tx
    .insertInto('mcp_credentials')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        server_name: ref('excluded.server_name'),
        server_url: ref('excluded.server_url'),
        issuer: ref('excluded.issuer'),
        client_id: ref('excluded.client_id'),
        client_auth_method: ref('excluded.client_auth_method'),
        client_secret: ref('excluded.client_secret'),
        access_token: ref('excluded.access_token'),
        refresh_token: kept,
        refresh_token_unsupported: sql<boolean>`(${kept}) is null`,
        token_endpoint: ref('excluded.token_endpoint'),
        scopes: ref('excluded.scopes'),
        resource: ref('excluded.resource'),
        expires_at: ref('excluded.expires_at'),
        ...noRefresh,
        refresh_error: null,
        updated_at: sql<Date>`now()`,
      })),
    )
    .execute()
}

export async function clearEndpoint(db: Database, id: string, reason: string): Promise<void> {
  await db
    .updateTable('mcp_credentials')
    .set({ token_endpoint: null, refresh_error: reason, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteCredential(tx: Transaction, id: string): Promise<McpCredentialRow | undefined> {
  return tx.deleteFrom('mcp_credentials').where('id', '=', id).returningAll().executeTakeFirst()
}

/** The server refuses the token although it has not expired. Only if it is still the token that was refused. */
export async function rejectToken(tx: Transaction, id: string, sealed: string, reason: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mcp_credentials')
    .set({ refresh_token: null, expires_at: sql<Date>`now()`, refresh_error: reason, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('access_token', '=', sealed)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function upsertProbe(
  db: Database | Transaction,
  serverUrl: string,
  requiresOauth: boolean,
): Promise<void> {
  await db
    .insertInto('mcp_server_probes')
    .values({ server_url: serverUrl, requires_oauth: requiresOauth })
    .onConflict((conflict) =>
      conflict.column('server_url').doUpdateSet({ requires_oauth: requiresOauth, checked_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function selectProbe(db: Database | Transaction, serverUrl: string): Promise<boolean | undefined> {
  const row = await db
    .selectFrom('mcp_server_probes')
    .select('requires_oauth')
    .where('server_url', '=', serverUrl)
    .executeTakeFirst()
  return row?.requires_oauth
}
