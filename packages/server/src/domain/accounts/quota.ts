import type { SnapshotTrigger } from '@yardmaster/contract/accounts/fields'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { AccountSignal, Quota, QuotaWindow } from '../../runtimes/accounts/vendor-accounts.ts'
import { countUses } from './account-store.ts'
import type { AccountRow, SnapshotRow } from './account-table.ts'
import { insertSnapshot, selectLastSnapshots } from './history-store.ts'

/** What is left of a reading: past its reset a window reads 0. */
export type Windows = Pick<
  SnapshotRow,
  'utilization_5h' | 'utilization_7d' | 'reset_5h' | 'reset_7d' | 'status_5h' | 'status_7d'
>

export function windowsOf({ fiveHour, weekly }: Quota): Windows {
  return {
    utilization_5h: fiveHour?.utilization ?? null,
    utilization_7d: weekly?.utilization ?? null,
    reset_5h: fiveHour?.resetsAt ?? null,
    reset_7d: weekly?.resetsAt ?? null,
    status_5h: fiveHour?.status ?? null,
    status_7d: weekly?.status ?? null,
  }
}

export function windowsAt<Row extends Windows>(row: Row, now: Date): Row {
  return {
    ...row,
    ...(isOver(row.reset_5h, now) && { utilization_5h: 0, status_5h: 'allowed' }),
    ...(isOver(row.reset_7d, now) && { utilization_7d: 0, status_7d: 'allowed' }),
  }
}

function isOver(reset: Date | null, now: Date): boolean {
  return reset !== null && reset <= now
}

const serving: readonly (string | null)[] = [null, 'allowed', 'allowed_warning']

/** When the window that blocks the account ends; null if it does not tell. Undefined if no window blocks it. */
export function blockedUntil(windows: Windows): Date | null | undefined {
  if (!serving.includes(windows.status_7d)) return windows.reset_7d
  return serving.includes(windows.status_5h) ? undefined : windows.reset_5h
}

export type PoolUse = { fiveHour: number | null; weekly: number | null }

/**
 * The average over every account with a reading. An account whose weekly window is spent counts as fully used in the 5-hour
 * figure, because it cannot serve either.
 */
export function averageUse(readings: readonly Windows[]): PoolUse {
  const weekly = readings.flatMap(({ utilization_7d: use }) => use ?? [])
  const fiveHour = readings.flatMap((windows) => {
    const isWeekSpent = (windows.utilization_7d ?? 0) >= 1 || !serving.includes(windows.status_7d)
    return isWeekSpent ? 1 : (windows.utilization_5h ?? [])
  })
  return { fiveHour: average(fiveHour), weekly: average(weekly) }
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** For the spot gate: by runtime, only those with a reading. */
export async function usesByRuntime(db: Database | Transaction, now: Date): Promise<Map<string, PoolUse>> {
  const snapshots = await selectLastSnapshots(db)
  const runtimes = new Set(snapshots.map(({ account_runtime }) => account_runtime))
  return new Map(
    [...runtimes].map((runtime) => {
      const own = snapshots.filter(({ account_runtime }) => account_runtime === runtime)
      return [runtime, averageUse(own.map((row) => windowsAt(row, now)))]
    }),
  )
}

export async function recordQuota(
  tx: Transaction,
  account: AccountRow,
  { quota, trigger }: { quota: Quota; trigger: SnapshotTrigger },
): Promise<void> {
  const { overageStatus, overageDisabledReason } = quota
  await insertSnapshot(tx, {
    account_id: account.id,
    account_email: account.email,
    account_runtime: account.runtime,
    trigger,
    ...windowsOf(quota),
    subscription_type: account.subscription_type,
    rate_limit_tier: account.rate_limit_tier,
    overage_status: overageStatus,
    overage_disabled_reason: overageDisabledReason,
    active_session_count: (await countUses(tx)).get(account.id) ?? 0,
  })
}

/** What a failed turn tells: the one window is spent, and the other is as it was read last. */
export function quotaAfter(signal: Extract<AccountSignal, { kind: 'quota_spent' }>, last: Windows | undefined): Quota {
  const spent: QuotaWindow = { utilization: 1, resetsAt: signal.resetsAt, status: 'rejected' }
  const isWeekly = signal.window === 'weekly'
  return {
    fiveHour: isWeekly ? windowOf(last?.utilization_5h, last?.reset_5h, last?.status_5h) : spent,
    weekly: isWeekly ? spent : windowOf(last?.utilization_7d, last?.reset_7d, last?.status_7d),
    overageStatus: null,
    overageDisabledReason: null,
  }
}

function windowOf(
  utilization: number | null | undefined,
  resetsAt: Date | null | undefined,
  status: string | null | undefined,
): QuotaWindow | null {
  return utilization == null ? null : { utilization, resetsAt: resetsAt ?? null, status: status ?? 'allowed' }
}
