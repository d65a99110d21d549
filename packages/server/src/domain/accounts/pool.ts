import type { RotationReason, rotationSources } from '@yardmaster/contract/accounts/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { selectAccounts, setCurrent } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { accountsChanged, poolRecovered } from './events.ts'
import { insertRotation } from './history-store.ts'
import { lockPool, selectPools, updatePool } from './pool-store.ts'
import { expiresWithin, waitsForRetry } from './refresh-due.ts'

/** Whether turns can use it: active, with credentials. Its quota and its token may still prove otherwise. */
export function isServable({ status, login }: Pick<AccountRow, 'status' | 'login'>): boolean {
  return status === 'active' && login !== null
}

/**
 * Whether a turn that starts now can get a token of it. Not while its token has expired and the vendor cannot be asked for
 * another: before the next attempt is due, or without a refresh token.
 */
export function isReady(account: AccountRow, now: Date): boolean {
  if (!isServable(account)) return false
  return !expiresWithin(0, now)(account) || (account.can_refresh && !waitsForRetry(account, now))
}

export type Cause = {
  reason: RotationReason
  source: (typeof rotationSources)[number]
  triggeredBy: string | null
}

/**
 * After any change of an account: chooses another current one if the current one cannot serve, and says whether the pool can.
 * The caller holds the pool's lock. `preferred` becomes the current one in any case. Returns the account that serves.
 */
export async function settlePool(
  app: App,
  tx: Transaction,
  runtime: string,
  { preferred, ...cause }: Cause & { preferred?: number },
): Promise<AccountRow | undefined> {
  const pool = await lockPool(tx, runtime)
  const accounts = await selectAccounts(tx, { runtime })
  const now = app.clock.now()
  const current = accounts.find(({ is_current }) => is_current)
  const serving =
    accounts.find(({ id }) => id === preferred) ?? (current && isReady(current, now) ? current : undefined)
  const ready = serving ?? accounts.find((account) => isReady(account, now))
  // A current account that only waits for its next refresh stays the current one.
  const next = ready ?? (current && isServable(current) ? current : accounts.find(isServable))
  if (next?.id !== current?.id) {
    await setCurrent(tx, runtime, next?.id ?? null)
    await insertRotation(tx, {
      runtime,
      rotated_from_id: current?.id ?? null,
      rotated_from_email: current?.email ?? null,
      rotated_to_id: next?.id ?? null,
      rotated_to_email: next?.email ?? null,
      reason: cause.reason,
      source: cause.source,
      triggered_by: cause.triggeredBy,
    })
  }
  const isAvailable = accounts.some((account) => isReady(account, now))
  await updatePool(tx, runtime, {
    is_available: isAvailable,
    recovers_at: isAvailable ? null : recovery(accounts, now),
  })
  await app.events.publish(tx, accountsChanged, { payload: { runtime } })
  if (isAvailable && !pool.is_available) await app.events.publish(tx, poolRecovered, { payload: { runtime } })
  return ready
}

export function settlePoolNow(app: App, runtime: string, cause: Cause): Promise<AccountRow | undefined> {
  return transact(app.db, (tx) => settlePool(app, tx, runtime, cause))
}

/** After refreshes: replaces a current account that cannot serve, and corrects what is known of the pool. */
export async function settlePools(app: App): Promise<void> {
  const accounts = await selectAccounts(app.db)
  const pools = await selectPools(app.db)
  const now = app.clock.now()
  for (const runtime of new Set(accounts.map((account) => account.runtime))) {
    const own = accounts.filter((account) => account.runtime === runtime)
    const isAvailable = pools.some((pool) => pool.runtime === runtime && pool.is_available)
    if (isAvailable && own.some((account) => account.is_current && isReady(account, now))) continue
    await settlePoolNow(app, runtime, { reason: 'login_rejected', source: 'automatic', triggeredBy: null })
  }
}

/** The first of the windows that are known to end, and of the refreshes that are tried again. */
function recovery(accounts: readonly AccountRow[], now: Date): Date | null {
  const times = accounts.flatMap((account) => {
    if (account.status === 'quota_exceeded') return account.quota_resets_at ?? []
    return recoversByRefresh(account, now) ? (account.retry_refresh_at ?? []) : []
  })
  return times.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null
}

/** Its login may be good: the vendor did not answer, and is asked again. */
function recoversByRefresh(account: AccountRow, now: Date): boolean {
  return isServable(account) && account.can_refresh && waitsForRetry(account, now)
}

export type OutageReason = 'quota_exhausted' | 'auth_unrecoverable'

/**
 * Why no account can serve. Only a person can end `auth_unrecoverable`. Callers know these two values, so a vendor whose token
 * endpoint is down reads `quota_exhausted` too: the pool recovers by itself, and no person is asked to sign in.
 */
export function outageOf(
  accounts: readonly AccountRow[],
  now: Date,
): { reason: OutageReason; recoversAt: Date | null } {
  const isTemporary = accounts.some(
    (account) => account.status === 'quota_exceeded' || recoversByRefresh(account, now) || isReady(account, now),
  )
  return { reason: isTemporary ? 'quota_exhausted' : 'auth_unrecoverable', recoversAt: recovery(accounts, now) }
}
