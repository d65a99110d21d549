import { createHash } from 'node:crypto'
import { Login } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import type { AccountRow } from './account-table.ts'

/** The login of an account. Undefined if it has none. */
export function openLogin({ vault }: Pick<App, 'vault'>, { id, login }: AccountRow): Login | undefined {
  return login === null ? undefined : Login.parse(JSON.parse(vault.open(placeOf(id), login)))
}

/** The columns that change with a login: both tokens stand in one sealed text. */
export function loginColumns({ vault }: Pick<App, 'vault'>, id: number, login: Login) {
  return {
    login: vault.seal(placeOf(id), JSON.stringify(login)),
    expires_at: login.expiresAt === null ? null : new Date(login.expiresAt),
    can_refresh: login.refreshToken !== null,
    subscription_type: login.subscriptionType,
    rate_limit_tier: login.rateLimitTier,
  }
}

function placeOf(id: number) {
  return { table: 'accounts', column: 'login', id: String(id) }
}

/** Tells two tokens apart without keeping either. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
