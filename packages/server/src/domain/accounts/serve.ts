import { type ServedLogin, served } from '../../runtimes/accounts/vendor-accounts.ts'
import type { Runtime, TurnOrder } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { openProviderKey } from '../provider-keys/provider-key.ts'
import { deleteUse, insertUse, selectAccount, selectAccounts } from './account-store.ts'
import { openLogin } from './logins.ts'
import { isReady, isServable, type OutageReason, outageOf, settlePoolNow } from './pool.ts'
import { refreshTokens } from './refresh.ts'
import { expiresWithin, isRefreshDue } from './refresh-due.ts'
import { rotate } from './rotate.ts'

export type Service =
  /** The runtime has no accounts: the keys and logins of the host are used. */
  | { kind: 'host' }
  | { kind: 'account'; accountId: number; email: string; login: ServedLogin }
  | { kind: 'outage'; reason: OutageReason; recoversAt: Date | null }

/** Longer than the start of a turn takes. The refresh every five minutes keeps the rest. */
const startMinutes = 2

const windowCleared = { reason: 'window_cleared', source: 'automatic', triggeredBy: null } as const

/** The account that serves a turn which starts now, with a token that is fresh. */
export async function serveTurn(
  app: App,
  { runtime, sessionId, marker }: { runtime: Runtime; sessionId: number; marker?: string },
): Promise<Service> {
  if (!runtime.accounts) return { kind: 'host' }
  const tried = new Set<number>()
  for (;;) {
    const now = app.clock.now()
    const accounts = await selectAccounts(app.db, { runtime: runtime.name })
    if (accounts.length === 0) return { kind: 'host' }
    const serving = accounts.find((account) => account.is_current && isReady(account, now))
    const current = serving ?? (await settlePoolNow(app, runtime.name, windowCleared))
    if (!current || tried.has(current.id)) return { kind: 'outage', ...outageOf(accounts, now) }
    const account = await freshen(app, current.id)
    const login = account && openLogin(app, account)
    if (account && login) {
      const { id: accountId, email } = account
      const isThere = marker === undefined || (await insertUse(app.db, { marker, accountId, sessionId }))
      if (!isThere) continue
      return { kind: 'account', accountId, email, login: served(login) }
    }
    tried.add(current.id)
    await rotate(app, { runtime: runtime.name, fromId: current.id, signal: { kind: 'login_rejected' }, sessionId })
  }
}

/** Undefined if its token has expired and cannot be refreshed now. */
async function freshen(app: App, id: number) {
  const account = await selectAccount(app.db, id)
  const isDue = isRefreshDue(startMinutes, app.clock.now())
  const refreshed = account && isDue(account) ? await refreshTokens(app, id, isDue) : undefined
  if (account && refreshed === 'renewed') await settlePoolNow(app, account.runtime, windowCleared)
  const current = refreshed === undefined ? account : await selectAccount(app.db, id)
  return current && isServable(current) && !expiresWithin(0, app.clock.now())(current) ? current : undefined
}

/** For an agent that is asked outside of a turn. If no account can serve, its program says that it is not signed in. */
export async function accessOutsideTurns(
  app: App,
  runtime: Runtime,
  sessionId: number,
): Promise<Pick<TurnOrder, 'login' | 'providerKey'>> {
  const service = await serveTurn(app, { runtime, sessionId })
  if (service.kind === 'account') return { login: service.login }
  const providerKey = service.kind === 'host' ? await openProviderKey(app, runtime) : undefined
  return providerKey === undefined ? {} : { providerKey }
}

export async function releaseTurn(app: App, marker: string): Promise<void> {
  await deleteUse(app.db, marker)
}
