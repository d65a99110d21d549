import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { AccountSignal } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { selectAccount, selectAccounts, updateAccount } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { selectLastSnapshots } from './history-store.ts'
import { isReady, isServable, type OutageReason, outageOf, settlePool } from './pool.ts'
import { lockPool } from './pool-store.ts'
import { quotaAfter, recordQuota, windowsAt } from './quota.ts'
import { refreshTokens } from './refresh.ts'
import { expiresWithin, waitsForRetry } from './refresh-due.ts'

export type Rotated =
  /** Another session has moved the pool before: its account serves. */
  | { kind: 'adopted'; account: AccountRow }
  | { kind: 'rotated'; account: AccountRow }
  | { kind: 'empty'; reason: OutageReason; recoversAt: Date | null }

type Order = { runtime: string; fromId: number; signal: AccountSignal; sessionId: number }

/**
 * Moves the pool on from an account that failed. One lock for each runtime: of ten sessions whose turns fail at once, one
 * moves the pool, and nine find it moved.
 */
export function rotate(app: App, order: Order): Promise<Rotated> {
  return app.accountMutex(`pool ${order.runtime}`, undefined, () =>
    transact(app.db, (tx) => rotateLocked(app, tx, order)),
  )
}

async function rotateLocked(
  app: App,
  tx: Transaction,
  { runtime, fromId, signal, sessionId }: Order,
): Promise<Rotated> {
  await lockPool(tx, runtime)
  const accounts = await selectAccounts(tx, { runtime })
  const current = accounts.find(({ is_current }) => is_current)
  if (current && current.id !== fromId && isReady(current, app.clock.now()))
    return { kind: 'adopted', account: current }
  const from = accounts.find(({ id }) => id === fromId)
  if (from && signal.kind === 'quota_spent') await recordSpent(app, tx, from, signal)
  const next = await findProven(
    app,
    tx,
    accounts.filter((account) => account.id !== fromId && isServable(account)),
  )
  const settled = await settlePool(app, tx, runtime, {
    reason: signal.kind === 'quota_spent' ? 'quota_exceeded' : 'login_rejected',
    source: 'automatic',
    triggeredBy: `session ${sessionId}`,
    ...(next && { preferred: next.id }),
  })
  if (settled) return { kind: 'rotated', account: settled }
  return { kind: 'empty', ...outageOf(await selectAccounts(tx, { runtime }), app.clock.now()) }
}

async function recordSpent(
  app: App,
  tx: Transaction,
  account: AccountRow,
  signal: Extract<AccountSignal, { kind: 'quota_spent' }>,
): Promise<void> {
  const last = (await selectLastSnapshots(tx, account.runtime)).find(({ account_id }) => account_id === account.id)
  const quota = quotaAfter(signal, last && windowsAt(last, app.clock.now()))
  await recordQuota(tx, account, { quota, trigger: 'rotation' })
  if (account.status !== 'active') return
  await updateAccount(tx, account.id, {
    status: 'quota_exceeded',
    status_reason: `The ${signal.window === 'weekly' ? 'weekly' : '5-hour'} quota is spent.`,
    quota_hit_count: account.quota_hit_count + 1,
    quota_resets_at: signal.resetsAt,
  })
}

/** The first candidate whose login the vendor accepts, proven by a refresh unless one failed a moment ago. */
async function findProven(
  app: App,
  tx: Transaction,
  candidates: readonly AccountRow[],
): Promise<AccountRow | undefined> {
  for (const candidate of candidates) {
    const refreshed = await refreshTokens(app, candidate.id, (row) => !waitsForRetry(row, app.clock.now()))
    // The database ends a transaction that is idle for long; the next proof may take as long as this one.
    await lockPool(tx, candidate.runtime)
    const account = await selectAccount(tx, candidate.id)
    const isFresh = account && !expiresWithin(1, app.clock.now())(account)
    if (account && isServable(account) && (refreshed === 'renewed' || isFresh)) return account
  }
  return undefined
}
