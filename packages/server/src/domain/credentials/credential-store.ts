import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

/** What every table of credentials that can be refreshed has. */
export type RefreshColumns = {
  /** Made from the key, so that it is known before the tokens are sealed for it. */
  id: string
  access_token: string
  refresh_token: string | null
  token_endpoint: string | null
  /** Null: it does not expire. */
  expires_at: Date | null
  /** Set before a refresh is sent, and cleared with what came of it. */
  refresh_run: Generated<string | null>
  refresh_host: Generated<string | null>
  refresh_until: Generated<Date | null>
  /** No refresh before this time. */
  refresh_after: Generated<Date | null>
  refresh_attempted_at: Generated<Date | null>
  refreshed_at: Generated<Date | null>
  refresh_error: Generated<string | null>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type RefreshRow = Selectable<RefreshColumns>
export type CredentialTable = 'mcp_credentials' | 'social_credentials'

/** The statements below read and write only the columns that all the tables have. */
function asOne(table: CredentialTable): 'mcp_credentials' {
  return table as 'mcp_credentials'
}

type Claimable = { is_underway: boolean; is_early: boolean }

/** With whether another refresh is underway, or it is too early for one, by the clock that all hosts share. */
export async function lockCredential<Row extends RefreshRow>(
  tx: Transaction,
  table: CredentialTable,
  id: string,
): Promise<(Row & Claimable) | undefined> {
  const row = await tx
    .selectFrom(asOne(table))
    .selectAll()
    .select([
      sql<boolean>`coalesce(refresh_until > clock_timestamp(), false)`.as('is_underway'),
      sql<boolean>`coalesce(refresh_after > clock_timestamp(), false)`.as('is_early'),
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row as unknown as (Row & Claimable) | undefined // the caller names the table and its row together
}

export async function beginRefresh(
  tx: Transaction,
  table: CredentialTable,
  id: string,
  { run, hostId, seconds }: { run: string; hostId: string; seconds: number },
): Promise<void> {
  await tx
    .updateTable(asOne(table))
    .set({
      refresh_run: run,
      refresh_host: hostId,
      refresh_until: sql<Date>`now() + make_interval(secs => ${seconds})`,
      refresh_attempted_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

/** A new grant ends a refresh of the earlier one. */
export const noRefresh = {
  refresh_run: null,
  refresh_host: null,
  refresh_until: null,
  refresh_after: null,
} as const

type NewTokens = Pick<RefreshRow, 'access_token' | 'expires_at'> & { refresh_token?: string }

/**
 * The tokens that came of a refresh, in one statement. `spent` is the row as it was when the refresh was claimed. An answer that comes
 * after the claim has ended is saved too, unless other tokens were stored meanwhile: the refresh token of the row is used up, and only
 * this answer has the next one. A later attempt with the same token may have been refused, which drops it and keeps the access token.
 * False if the row has other tokens.
 */
export async function saveTokens(
  tx: Transaction,
  table: CredentialTable,
  spent: Pick<RefreshRow, 'id' | 'access_token' | 'refresh_token'>,
  tokens: NewTokens,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable(asOne(table))
    .set({
      ...tokens,
      ...noRefresh,
      refresh_error: null,
      refreshed_at: sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', spent.id)
    .where((where) =>
      where.or([
        where('refresh_token', '=', spent.refresh_token),
        where.and([where('refresh_token', 'is', null), where('access_token', '=', spent.access_token)]),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Failure = { refresh_error: string; refresh_token?: null; afterSeconds: number }

/** Why a refresh failed, in one statement. False, and nothing is written, if it is no longer the one underway. */
export async function recordFailedRefresh(
  tx: Transaction,
  table: CredentialTable,
  { id, run }: { id: string; run: string },
  { afterSeconds, ...columns }: Failure,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable(asOne(table))
    .set({
      ...columns,
      ...noRefresh,
      refresh_after: sql<Date>`now() + make_interval(secs => ${afterSeconds})`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('refresh_run', '=', run)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The refreshes of this host that a crash ended. They stay marked: the next one knows that an answer may be lost. */
export async function expireRefreshesOf(db: Database, table: CredentialTable, hostId: string): Promise<void> {
  await db
    .updateTable(asOne(table))
    .set({ refresh_until: sql<Date>`now()` })
    .where('refresh_host', '=', hostId)
    .execute()
}

/** Those that expire soon, and those that did not expire long ago. */
export async function selectDue<Row extends RefreshRow>(
  db: Database,
  table: CredentialTable,
  { soonSeconds, longAgoSeconds }: { soonSeconds: number; longAgoSeconds: number },
): Promise<Row[]> {
  const rows = await db
    .selectFrom(asOne(table))
    .selectAll()
    .where('refresh_token', 'is not', null)
    .where('token_endpoint', 'is not', null)
    .where('expires_at', '<', sql<Date>`now() + make_interval(secs => ${soonSeconds})`)
    .where('expires_at', '>', sql<Date>`now() - make_interval(secs => ${longAgoSeconds})`)
    .where((where) => where.or([where('refresh_after', 'is', null), where('refresh_after', '<=', sql<Date>`now()`)]))
    .execute()
  return rows as unknown as Row[] // as above
}
