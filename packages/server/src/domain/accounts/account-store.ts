import type { UpdateObject } from 'kysely'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { AccountRow } from './account-table.ts'

/** In the order in which they are used: the current one, then by priority. */
export function selectAccounts(db: Database | Transaction, { runtime }: { runtime?: string | undefined } = {}) {
  return db
    .selectFrom('accounts')
    .selectAll()
    .$if(runtime !== undefined, (query) => query.where('runtime', '=', runtime ?? ''))
    .orderBy('runtime')
    .orderBy('priority')
    .orderBy('id')
    .execute()
}

export function selectAccount(db: Database | Transaction, id: number): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Lets the record of a refresh refer to the row while it is locked. */
export function lockAccount(tx: Transaction, id: number): Promise<AccountRow | undefined> {
  return tx.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** The one of that name, made if there is none; locked. Its row is there before its login is sealed for it. */
export async function ensureAccount(
  tx: Transaction,
  { runtime, email }: Pick<AccountRow, 'runtime' | 'email'>,
): Promise<AccountRow & { is_new: boolean }> {
  const { rows } = await sql<AccountRow & { is_new: boolean }>`
    insert into accounts (runtime, email)
    values (${runtime}, ${email})
    on conflict (runtime, email) do update set updated_at = now()
    returning *, xmax = 0 as is_new
  `.execute(tx)
  const [row] = rows
  if (!row) throw new Error('an account was neither made nor found')
  return row
}

export async function updateAccount(
  tx: Transaction,
  id: number,
  changes: UpdateObject<Tables, 'accounts'>,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteAccountRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

/** At most one is current; the partial index would refuse two. */
export async function setCurrent(tx: Transaction, runtime: string, id: number | null): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ is_current: false })
    .where('runtime', '=', runtime)
    .where('is_current', '=', true)
    .execute()
  if (id !== null) await updateAccount(tx, id, { is_current: true, last_rotated_to_at: sql<Date>`now()` })
}

/** Accounts whose token expires soon, and those that need a sign-in; neither before a failed refresh is due again. */
export function selectDueAccounts(
  db: Database,
  { withinMinutes, pauseMinutes }: { withinMinutes: number; pauseMinutes: number },
): Promise<AccountRow[]> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('can_refresh', '=', true)
    .where((is) =>
      is.or([
        is('status', '=', 'needs_reauth'),
        is('expires_at', '<', sql<Date>`now() + make_interval(mins => ${withinMinutes})`),
      ]),
    )
    .where((is) =>
      is.or([
        is('retry_refresh_at', 'is', null),
        is('retry_refresh_at', '<=', sql<Date>`now()`),
        is('retry_refresh_at', '>', sql<Date>`now() + make_interval(mins => ${pauseMinutes})`),
      ]),
    )
    .orderBy('expires_at')
    .execute()
}

/** The turns that an account serves now. */
export async function countUses(db: Database | Transaction): Promise<Map<number, number>> {
  const { rows } = await sql<{ account_id: number; uses: number }>`
    select account_uses.account_id, count(*)::int as uses
    from account_uses
    join turns on turns.run_marker = account_uses.run_marker and turns.state = 'executing'
    group by account_uses.account_id
  `.execute(db)
  return new Map(rows.map(({ account_id, uses }) => [account_id, uses]))
}

/** False if the account was deleted meanwhile. */
export async function insertUse(
  db: Database | Transaction,
  { marker, accountId, sessionId }: { marker: string; accountId: number; sessionId: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into account_uses (run_marker, account_id, session_id)
    select ${marker}, id, ${sessionId}
    from accounts
    where id = ${accountId}
    for key share
    on conflict (run_marker) do update set account_id = excluded.account_id
    returning run_marker
  `.execute(db)
  return rows.length > 0
}

export async function deleteUse(db: Database | Transaction, marker: string): Promise<void> {
  await db.deleteFrom('account_uses').where('run_marker', '=', marker).execute()
}
