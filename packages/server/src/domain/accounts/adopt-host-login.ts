import type { Login } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { selectAccounts } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { storeLogin } from './add-account.ts'
import { readHostLogin } from './host-login.ts'
import { openLogin } from './logins.ts'

/** Takes over what a person's sign-in or CLI left in the file, if the runtime has accounts and the file is newer. */
export async function adoptHostLogins(app: App): Promise<void> {
  for (const runtime of app.runtimes.names()) {
    const vendor = app.runtimes.find(runtime)?.accounts
    const found = vendor && (await readHostLogin(vendor))
    if (!found) continue
    const accounts = await selectAccounts(app.db, { runtime })
    if (accounts.length === 0) continue
    const account = accounts.find(({ email }) => email === found.email)
    if (account && !isNewer(app, account, found.login)) continue
    await storeLogin(app, { runtime, email: found.email, login: found.login, keepsQuota: true })
    app.log.info({ runtime }, 'a login that was found on this host is used for its account')
  }
}

/** The one that expires later was issued later. An account that has to be signed in takes any other login. */
function isNewer(app: App, account: AccountRow, found: Login): boolean {
  const own = openLogin(app, account)
  if (!own) return true
  if (own.accessToken === found.accessToken) return false
  if (account.status === 'needs_reauth') return own.refreshToken !== found.refreshToken
  return found.expiresAt !== null && own.expiresAt !== null && found.expiresAt > own.expiresAt
}
