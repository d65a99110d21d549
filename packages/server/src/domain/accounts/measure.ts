import type { SnapshotTrigger } from '@yardmaster/contract/accounts/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { type Quota, served } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { probeOwnerOf, recordUsage } from '../costs/cost.ts'
import { lockAccount, selectAccount, selectAccounts, updateAccount } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { eachAccount } from './each-account.ts'
import { selectLastSnapshots } from './history-store.ts'
import { openLogin } from './logins.ts'
import { condemn } from './needs-reauth.ts'
import { settlePool, settlePoolNow } from './pool.ts'
import { lockPool } from './pool-store.ts'
import { blockedUntil, recordQuota, windowsOf } from './quota.ts'
import { refreshTokens } from './refresh.ts'
import { expiresWithin, isRefreshDue, waitsForRetry } from './refresh-due.ts'

export type Measured =
  | { kind: 'serves' }
  | { kind: 'blocked'; until: Date | null }
  | { kind: 'login_rejected' }
  | { kind: 'unknown' }

const cause = { reason: 'window_cleared', source: 'automatic', triggeredBy: null } as const

/** Reads the windows of an account from the headers of a one-token request, and lets its status follow. */
export async function measure(app: App, id: number, trigger: SnapshotTrigger): Promise<Measured> {
  await refreshTokens(app, id, isRefreshDue(1, app.clock.now()))
  const account = await selectAccount(app.db, id)
  const login = account && openLogin(app, account)
  const vendor = account && app.runtimes.find(account.runtime)?.accounts
  if (!account || !login || !vendor || account.status === 'needs_reauth') return { kind: 'unknown' }
  // The vendor would reject an expired token, which says nothing about the account.
  const now = app.clock.now()
  if (expiresWithin(0, now)(account) && waitsForRetry(account, now)) return { kind: 'unknown' }
  const measured = await vendor.measure(served(login))
  if (measured.kind === 'measured') {
    const { quota, usage } = measured
    return transact(app.db, async (tx) => {
      const outcome = await recordMeasured(app, tx, account, { quota, trigger })
      if (usage) await recordUsage(app, tx, probeOwnerOf(account.runtime), [usage])
      return outcome
    })
  }
  if (measured.kind === 'unavailable') {
    app.log.info({ account_id: id, detail: measured.detail }, 'the quota of an account could not be measured')
    return { kind: 'unknown' }
  }
  return settleRejected(app, account)
}

/** Under the pool's lock, which comes before that of an account. */
async function recordMeasured(
  app: App,
  tx: Transaction,
  { id, runtime }: AccountRow,
  reading: { quota: Quota; trigger: SnapshotTrigger },
): Promise<Measured> {
  await lockPool(tx, runtime)
  const account = await lockAccount(tx, id)
  if (!account) return { kind: 'unknown' }
  await recordQuota(tx, account, reading)
  const until = blockedUntil(windowsOf(reading.quota))
  await followWindows(tx, account, until)
  await settlePool(app, tx, runtime, cause)
  return until === undefined ? { kind: 'serves' } : { kind: 'blocked', until }
}

async function followWindows(tx: Transaction, account: AccountRow, until: Date | null | undefined): Promise<void> {
  if (until === undefined && account.status === 'quota_exceeded') return restore(tx, account.id)
  if (until === undefined || account.status === 'needs_reauth') return
  await updateAccount(tx, account.id, {
    status: 'quota_exceeded',
    status_reason: 'The quota is spent.',
    quota_resets_at: until,
    ...(account.status === 'active' && { quota_hit_count: account.quota_hit_count + 1 }),
  })
}

async function restore(tx: Transaction, id: number): Promise<void> {
  await updateAccount(tx, id, { status: 'active', status_reason: null, quota_resets_at: null })
}

/** A token that expired early is refreshed. One that cannot be refreshed is dead. */
async function settleRejected(app: App, { id, can_refresh }: AccountRow): Promise<Measured> {
  if (can_refresh) await refreshTokens(app, id, (row) => !waitsForRetry(row, app.clock.now()))
  else {
    await transact(app.db, async (tx) => {
      const account = await lockAccount(tx, id)
      if (account) await condemn(app, tx, account, 'The vendor rejected the token, which cannot be refreshed.')
    })
  }
  const account = await selectAccount(app.db, id)
  if (account?.status === 'needs_reauth')
    await settlePoolNow(app, account.runtime, { ...cause, reason: 'login_rejected' })
  return { kind: 'login_rejected' }
}

/** A spare account that no one measured for this long. */
const staleMinutes = 60

/** Every 15 minutes: the accounts that serve, and the readings of spares that are old. */
export async function sampleQuotas(app: App, signal: AbortSignal): Promise<void> {
  const now = app.clock.now()
  const readings = new Map((await selectLastSnapshots(app.db)).map((row) => [row.account_id, row.created_at]))
  const isDue = ({ id, is_current, status }: AccountRow): boolean => {
    const age = now.getTime() - (readings.get(id)?.getTime() ?? 0)
    return status === 'active' && (is_current || age > staleMinutes * 60_000)
  }
  const due = (await selectAccounts(app.db)).filter(isDue)
  await eachAccount(app, due, ({ id }) => measure(app, id, 'scheduled'), signal)
}

/** Restores accounts whose window has cleared. Where the vendor told no time, or cannot be asked, the time decides. */
export async function checkWindows(app: App, signal: AbortSignal): Promise<void> {
  const resting = (await selectAccounts(app.db)).filter(({ status }) => status === 'quota_exceeded')
  const check = async ({ id, quota_resets_at: resetsAt }: AccountRow): Promise<void> => {
    const isOver = resetsAt !== null && resetsAt <= app.clock.now()
    if (resetsAt !== null && !isOver) return
    const measured = await measure(app, id, 'scheduled')
    if (measured.kind === 'unknown' && isOver) await restoreByTime(app, id)
  }
  await eachAccount(app, resting, check, signal)
}

async function restoreByTime(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const found = await selectAccount(tx, id)
    if (!found) return
    await lockPool(tx, found.runtime)
    const account = await lockAccount(tx, id)
    if (account?.status !== 'quota_exceeded') return
    await restore(tx, id)
    await settlePool(app, tx, account.runtime, cause)
  })
}
