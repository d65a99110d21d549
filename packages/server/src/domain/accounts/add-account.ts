import type { Account, NewAccount } from '@yardmaster/contract/accounts/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { Login, VendorAccounts } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { ensureAccount, updateAccount } from './account-store.ts'
import { loginColumns } from './logins.ts'
import { measure } from './measure.ts'
import { recordReplaced } from './past-tokens.ts'
import { settlePool } from './pool.ts'
import { lockPool } from './pool-store.ts'
import { showAccount } from './present.ts'
import { forgetSending } from './refresh-store.ts'
import { noStrikes } from './strikes.ts'

/** What a person pasted: the CLI's login file, or a token. */
export async function addAccount(app: App, order: NewAccount): Promise<Account> {
  const login = vendorOf(app, order.runtime).readLogin(order.credentials)
  if (!login) refuse('validation_failed', "Credentials must be the content of the CLI's login file, or a token")
  const email = login.email ?? order.email
  if (!email) refuse('validation_failed', 'Email is needed: these credentials do not say whose they are')
  const { runtime, priority } = order
  const stored = { runtime, email, login, ...(priority !== undefined && { priority }) }
  const id = await transact(app.db, (tx) => storeLogin(app, tx, stored))
  await measure(app, id, 'bootstrap')
  return showAccount(app, id)
}

export function vendorOf(app: App, runtime: string): VendorAccounts {
  const vendor = app.runtimes.find(runtime)?.accounts
  return vendor ?? refuse('validation_failed', `Runtime ${runtime} has no accounts`)
}

/** `keepsQuota`: the login is only newer than the stored one, so a spent quota stays spent. */
type Stored = { runtime: string; email: string; login: Login; priority?: number; keepsQuota?: boolean }

/** A sign-in of a person, from whichever side: the account is active again, and what was held against it is forgotten. */
export async function storeLogin(
  app: App,
  tx: Transaction,
  { runtime, email, login, priority, keepsQuota }: Stored,
): Promise<number> {
  await lockPool(tx, runtime)
  const account = await ensureAccount(tx, { runtime, email })
  const { id, status } = account
  await forgetSending(tx, id)
  await recordReplaced(app, tx, account, login)
  await updateAccount(tx, id, {
    ...loginColumns(app, id, login),
    ...noStrikes,
    ...(!(keepsQuota && status === 'quota_exceeded') && {
      status: 'active',
      status_reason: null,
      quota_resets_at: null,
    }),
    transient_refresh_failures: 0,
    retry_refresh_at: null,
    reauth_notified_at: null,
    ...(priority !== undefined && { priority }),
  })
  await settlePool(app, tx, runtime, { reason: 'account_added', source: 'manual', triggeredBy: null })
  return id
}
