import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Login } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { selectAccounts } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { digestOf, openLogin } from './logins.ts'
import { deletePastToken, hasPastToken, insertPastToken } from './past-token-store.ts'

/**
 * In the transaction that replaces or deletes the login of an account: its refresh token is remembered, by digest, as one that
 * the account had. So a login file of any host that still holds it is known to be out of date.
 */
export async function recordReplaced(app: App, tx: Transaction, account: AccountRow, next?: Login): Promise<void> {
  const token = refreshTokenOf(app, account)
  if (next?.refreshToken) await deletePastToken(tx, digestOf(next.refreshToken))
  if (token && token !== next?.refreshToken) await insertPastToken(tx, account.id, digestOf(token))
}

/** Undefined also for a login that cannot be opened: a person must be able to replace or delete it. */
function refreshTokenOf(app: App, account: AccountRow): string | undefined {
  try {
    return openLogin(app, account)?.refreshToken ?? undefined
  } catch (error) {
    app.log.warn({ err: error, account_id: account.id }, 'the login of an account cannot be opened')
    return undefined
  }
}

/** Whether an account had this login before its present one. */
export async function isPast(db: Database | Transaction, { refreshToken }: Login): Promise<boolean> {
  return refreshToken !== null && (await hasPastToken(db, digestOf(refreshToken)))
}

type Held = { runtime: string; email: string; login: Login }

/**
 * The present login of the account that had this one before. Undefined if it never had it. Undefined also for an account that has
 * to be signed in, because the earlier login may be the better one.
 */
export async function presentLoginFor(app: App, { runtime, email, login }: Held): Promise<Login | undefined> {
  if (!(await isPast(app.db, login))) return undefined
  const account = (await selectAccounts(app.db, { runtime })).find((each) => each.email === email)
  const present = account && account.status !== 'needs_reauth' ? openLogin(app, account) : undefined
  return present?.refreshToken ? present : undefined
}
