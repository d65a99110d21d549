import type { Account, AccountPool, QuotaSnapshot, Rotation } from '@yardmaster/contract/accounts/fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findProviderKeys } from '../provider-keys/provider-key.ts'
import { countUses, selectAccounts } from './account-store.ts'
import type { AccountRow, RotationRow, SnapshotRow } from './account-table.ts'
import { selectLastSnapshots, selectRotations, selectSnapshots } from './history-store.ts'
import { isReady } from './pool.ts'
import { selectPools } from './pool-store.ts'
import { averageUse, type Windows, windowsAt } from './quota.ts'
import { countParked } from './session-store.ts'

type Filters = { runtime?: string | undefined }

async function presentAccounts(app: App, filters: Filters): Promise<Account[]> {
  const [accounts, uses, snapshots] = await Promise.all([
    selectAccounts(app.db, filters),
    countUses(app.db),
    selectLastSnapshots(app.db),
  ])
  const now = app.clock.now()
  const readings = new Map(snapshots.map((row) => [row.account_id, windowsAt(row, now)]))
  return accounts.map((account) => present(account, now, uses.get(account.id) ?? 0, readings.get(account.id)))
}

export async function listAccounts(app: App, filters: Filters, { page, perPage }: Page) {
  const all = await presentAccounts(app, filters)
  return { items: all.slice((page - 1) * perPage, page * perPage), totalCount: all.length }
}

export async function showAccount(app: App, id: number): Promise<Account> {
  const found = (await presentAccounts(app, {})).find((account) => account.id === id)
  return found ?? refuseMissing()
}

function present(account: AccountRow, now: Date, uses: number, reading: SnapshotRow | undefined): Account {
  return {
    id: account.id,
    runtime: account.runtime,
    email: account.email,
    status: account.status,
    status_reason: account.status_reason,
    is_current: account.is_current,
    is_available: isReady(account, now),
    priority: account.priority,
    expires_at: time(account.expires_at),
    can_refresh: account.can_refresh,
    subscription_type: account.subscription_type,
    rate_limit_tier: account.rate_limit_tier,
    quota_hit_count: account.quota_hit_count,
    quota_resets_at: time(account.quota_resets_at),
    stale_refresh_failures: account.stale_refresh_failures,
    last_stale_refresh_failure_at: time(account.last_stale_refresh_failure_at),
    last_refreshed_at: time(account.last_refreshed_at),
    last_rotated_to_at: time(account.last_rotated_to_at),
    active_session_count: uses,
    quota: reading ? { ...presentWindows(reading), measured_at: formatTimestamp(reading.created_at) } : null,
    created_at: formatTimestamp(account.created_at),
    updated_at: formatTimestamp(account.updated_at),
  }
}

function time(at: Date | null): string | null {
  return at === null ? null : formatTimestamp(at)
}

function presentWindows(windows: Windows) {
  return {
    utilization_5h: windows.utilization_5h,
    utilization_7d: windows.utilization_7d,
    reset_5h: time(windows.reset_5h),
    reset_7d: time(windows.reset_7d),
    status_5h: windows.status_5h,
    status_7d: windows.status_7d,
  }
}

export async function listSnapshots(
  app: App,
  filters: { runtime?: string | undefined; accountId?: number | undefined },
  page: Page,
): Promise<{ items: QuotaSnapshot[]; totalCount: number }> {
  const { rows, totalCount } = await selectSnapshots(app.db, filters, page)
  return { items: rows.map(presentSnapshot), totalCount }
}

function presentSnapshot(row: SnapshotRow): QuotaSnapshot {
  const { created_at, reset_5h: _, reset_7d: __, ...rest } = row
  return { ...rest, ...presentWindows(row), created_at: formatTimestamp(created_at) }
}

export async function listRotations(
  app: App,
  filters: Filters,
  page: Page,
): Promise<{ items: Rotation[]; totalCount: number }> {
  const { rows, totalCount } = await selectRotations(app.db, filters, page)
  return {
    items: rows.map((row: RotationRow) => ({ ...row, created_at: formatTimestamp(row.created_at) })),
    totalCount,
  }
}

/** One for every runtime that has accounts or takes a key. */
export async function listPools(app: App): Promise<AccountPool[]> {
  const [accounts, pools, parked, snapshots, keys] = await Promise.all([
    selectAccounts(app.db),
    selectPools(app.db),
    countParked(app.db),
    selectLastSnapshots(app.db),
    findProviderKeys(app.db),
  ])
  return app.runtimes.names().flatMap((name) => {
    const runtime = app.runtimes.find(name)
    if (!runtime?.accounts && runtime?.providerKeyVariable === undefined) return []
    const own = accounts.filter((account) => account.runtime === name)
    const readings = snapshots.filter((row) => row.account_runtime === name)
    const use = averageUse(readings.map((row) => windowsAt(row, app.clock.now())))
    return {
      runtime: name,
      has_pool: runtime.accounts !== undefined,
      can_sign_in: runtime.accounts !== undefined,
      takes_provider_key: runtime.providerKeyVariable !== undefined,
      has_provider_key: keys.some((key) => key.runtime === name),
      account_count: own.length,
      available_count: own.filter((account) => isReady(account, app.clock.now())).length,
      needs_reauth_count: own.filter(({ status }) => status === 'needs_reauth').length,
      current_account_id: own.find(({ is_current }) => is_current)?.id ?? null,
      average_utilization_5h: use.fiveHour,
      average_utilization_7d: use.weekly,
      recovers_at: time(pools.find((pool) => pool.runtime === name)?.recovers_at ?? null),
      parked_session_count: parked.get(name) ?? 0,
    }
  })
}
