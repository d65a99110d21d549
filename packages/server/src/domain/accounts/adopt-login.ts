import { transact } from '../../platform/db/transact.ts'
import type { Login } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { lockAccount, selectAccounts } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { storeLogin } from './add-account.ts'
import { openLogin } from './logins.ts'
import { isPast } from './past-tokens.ts'
import { lockPool } from './pool-store.ts'

type Found = { runtime: string; email: string; login: Login }

/** Takes over a login that lies on a host, if the runtime has accounts and the login is newer. False if it was not. */
export function adoptLogin(app: App, { runtime, email, login }: Found): Promise<boolean> {
  return transact(app.db, async (tx) => {
    await lockPool(tx, runtime)
    const accounts = await selectAccounts(tx, { runtime })
    if (accounts.length === 0) return false
    const known = accounts.find((account) => account.email === email)
    // Under its lock: another host may have adopted and spent the same login a moment ago.
    const account = known && (await lockAccount(tx, known.id))
    // An earlier login of an account is never newer, whatever it says of its expiry: a clock may have been wrong.
    if ((await isPast(tx, login)) || (account && !isNewer(app, account, login))) return false
    await storeLogin(app, tx, { runtime, email, login, keepsQuota: true })
    return true
  })
}

/** The one that expires later was issued later. An account that has to be signed in takes any other login. */
function isNewer(app: App, account: AccountRow, found: Login): boolean {
  const own = openLogin(app, account)
  if (!own) return true
  if (own.accessToken === found.accessToken) return false
  if (account.status === 'needs_reauth') return own.refreshToken !== found.refreshToken
  return found.expiresAt !== null && own.expiresAt !== null && found.expiresAt > own.expiresAt
}
