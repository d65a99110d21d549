import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { stateHashOf } from '../../platform/oauth/authorize.ts'
import type { ClientAuthMethod } from '../../platform/oauth/client.ts'
import type { RemoteServer } from '../credentials/credential.ts'

type FlowTable = {
  id: string
  state_hash: Buffer
  session_id: number | null
  sign_in_id: number | null
  server_name: string
  credential_key: string
  server: string
  issuer: string | null
  token_endpoint: string
  client_id: string
  client_auth_method: ClientAuthMethod
  client_secret: string | null
  code_verifier: string
  redirect_uri: string
  scopes: string | null
  resource: string | null
  is_manual: boolean
  return_origin: string | null
  created_at: Generated<Date>
  expires_at: Date
}

type ClientTable = {
  id: string
  issuer: string
  redirect_uri: string
  client_id: string
  client_auth_method: ClientAuthMethod
  client_secret: string | null
  secret_expires_at: Date | null
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mcp_oauth_flows: FlowTable
    mcp_oauth_clients: ClientTable
  }
}

export type FlowRow = Omit<Selectable<FlowTable>, 'server'> & { server: RemoteServer }
export type ClientRow = Selectable<ClientTable>

/** Takes the place of an earlier flow of the same session and server. */
export async function insertFlow(tx: Transaction, values: Insertable<FlowTable>): Promise<void> {
  const { server_name, session_id = null, sign_in_id = null } = values
  await takeLock(tx, 'oauthFlows')
  await tx
    .deleteFrom('mcp_oauth_flows')
    .where('server_name', '=', server_name)
    .where('session_id', 'is not distinct from', session_id)
    .where((where) =>
      where.or([where('session_id', 'is not', null), where('sign_in_id', 'is not distinct from', sign_in_id)]),
    )
    .execute()
  await tx.insertInto('mcp_oauth_flows').values(values).execute()
}

/** A state is good once: of several callers with one state, one gets the flow. */
export async function takeFlow(tx: Transaction, state: string): Promise<FlowRow | undefined> {
  const row = await tx
    .deleteFrom('mcp_oauth_flows')
    .where('state_hash', '=', stateHashOf(state))
    .returningAll()
    .executeTakeFirst()
  return row && asFlow(row)
}

/** Who began, where and for which server; the flow stays. */
export function findBegun(
  db: Database,
  state: string,
): Promise<Pick<FlowRow, 'server_name' | 'sign_in_id' | 'return_origin'> | undefined> {
  return db
    .selectFrom('mcp_oauth_flows')
    .select(['server_name', 'sign_in_id', 'return_origin'])
    .where('state_hash', '=', stateHashOf(state))
    .executeTakeFirst()
}

/** The driver has parsed the column. */
function asFlow({ server, ...row }: Selectable<FlowTable>): FlowRow {
  return { ...row, server: server as unknown as RemoteServer }
}

/** The servers with a flow that a person has begun and not ended. */
export async function selectPendingServers(db: Database | Transaction): Promise<Set<string>> {
  const rows = await db
    .selectFrom('mcp_oauth_flows')
    .select('credential_key')
    .where('expires_at', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map(({ credential_key }) => credential_key))
}

export async function deleteExpiredFlows(db: Database): Promise<void> {
  await db.deleteFrom('mcp_oauth_flows').where('expires_at', '<', sql<Date>`now()`).execute()
}

/** A client whose secret has expired is not used. */
export function selectClient(db: Database, issuer: string, redirectUri: string): Promise<ClientRow | undefined> {
  return db
    .selectFrom('mcp_oauth_clients')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('redirect_uri', '=', redirectUri)
    .where((where) =>
      where.or([where('secret_expires_at', 'is', null), where('secret_expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst()
}

export async function replaceClient(tx: Transaction, values: Insertable<ClientTable>): Promise<void> {
  await tx
    .deleteFrom('mcp_oauth_clients')
    .where('issuer', '=', values.issuer)
    .where('redirect_uri', '=', values.redirect_uri)
    .execute()
  await tx
    .insertInto('mcp_oauth_clients')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The authorization server no longer knows it. */
export async function deleteClient(db: Database | Transaction, issuer: string, clientId: string): Promise<void> {
  await db.deleteFrom('mcp_oauth_clients').where('issuer', '=', issuer).where('client_id', '=', clientId).execute()
}
