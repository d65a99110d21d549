import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { stateHashOf } from '../../platform/oauth/authorize.ts'
import { noRefresh, type RefreshColumns } from './credential-store.ts'

type SocialCredentialTable = RefreshColumns & {
  account_key: string
  /** The placeholder that is filled in with the token. */
  access_token_env_var: string
  token_endpoint: string
  scopes: string | null
}

type FlowTable = {
  id: string
  state_hash: Buffer
  account_key: string
  access_token_env_var: string
  token_endpoint: string
  code_verifier: string
  redirect_uri: string
  created_at: Generated<Date>
  expires_at: Date
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    social_credentials: SocialCredentialTable
    social_oauth_flows: FlowTable
  }
}

export type SocialCredentialRow = Selectable<SocialCredentialTable>
export type SocialFlowRow = Selectable<FlowTable>

export function selectAllSocial(db: Database): Promise<SocialCredentialRow[]> {
  return db.selectFrom('social_credentials').selectAll().orderBy('access_token_env_var').execute()
}

export function selectByVariables(
  db: Database | Transaction,
  variables: readonly string[],
): Promise<SocialCredentialRow[]> {
  return db.selectFrom('social_credentials').selectAll().where('access_token_env_var', 'in', variables).execute()
}

/** Takes the place of an earlier grant of the account. */
export async function upsertSocial(tx: Transaction, values: Insertable<SocialCredentialTable>): Promise<void> {
  await tx
    .insertInto('social_credentials')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        access_token_env_var: ref('excluded.access_token_env_var'),
        access_token: ref('excluded.access_token'),
        refresh_token: ref('excluded.refresh_token'),
        token_endpoint: ref('excluded.token_endpoint'),
        scopes: ref('excluded.scopes'),
        expires_at: ref('excluded.expires_at'),
        ...noRefresh,
        refresh_error: null,
        updated_at: sql<Date>`now()`,
      })),
    )
    .execute()
}

export async function updateEndpoint(db: Database, id: string, endpoint: string): Promise<void> {
  await db.updateTable('social_credentials').set({ token_endpoint: endpoint }).where('id', '=', id).execute()
}

export async function deleteSocial(db: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('social_credentials').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Takes the place of an earlier flow of the account, and of those that have expired. */
export async function insertFlow(tx: Transaction, values: Insertable<FlowTable>): Promise<void> {
  await tx
    .deleteFrom('social_oauth_flows')
    .where((where) =>
      where.or([where('account_key', '=', values.account_key), where('expires_at', '<', sql<Date>`now()`)]),
    )
    .execute()
  await tx.insertInto('social_oauth_flows').values(values).execute()
}

/** A state is good once: of several callers with one state, one gets the flow. */
export function takeFlow(db: Database, state: string): Promise<SocialFlowRow | undefined> {
  return db
    .deleteFrom('social_oauth_flows')
    .where('state_hash', '=', stateHashOf(state))
    .returningAll()
    .executeTakeFirst()
}
