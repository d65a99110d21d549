import type {
  AccountStatus,
  RotationReason,
  rotationSources,
  SnapshotTrigger,
} from '@yardmaster/contract/accounts/fields'
import type { Generated, Selectable } from 'kysely'

type AccountTable = {
  id: Generated<number>
  runtime: string
  email: string
  status: Generated<AccountStatus>
  status_reason: string | null
  is_current: Generated<boolean>
  priority: Generated<number>
  /** Sealed: a `Login` as JSON. */
  login: string | null
  expires_at: Date | null
  can_refresh: Generated<boolean>
  subscription_type: string | null
  rate_limit_tier: string | null
  quota_hit_count: Generated<number>
  quota_resets_at: Date | null
  stale_refresh_failures: Generated<number>
  first_stale_refresh_failure_at: Date | null
  last_stale_refresh_failure_at: Date | null
  transient_refresh_failures: Generated<number>
  retry_refresh_at: Date | null
  last_refreshed_at: Date | null
  last_rotated_to_at: Date | null
  reauth_notified_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

type SnapshotTable = {
  id: Generated<number>
  account_id: number | null
  account_email: string
  account_runtime: string
  trigger: SnapshotTrigger
  utilization_5h: number | null
  utilization_7d: number | null
  reset_5h: Date | null
  reset_7d: Date | null
  status_5h: string | null
  status_7d: string | null
  subscription_type: string | null
  rate_limit_tier: string | null
  overage_status: string | null
  overage_disabled_reason: string | null
  active_session_count: number
  created_at: Generated<Date>
}

type RotationTable = {
  id: Generated<number>
  runtime: string
  rotated_from_id: number | null
  rotated_from_email: string | null
  rotated_to_id: number | null
  rotated_to_email: string | null
  reason: RotationReason
  source: (typeof rotationSources)[number]
  triggered_by: string | null
  created_at: Generated<Date>
}

/** What a session did about a rejected login: `adoption` took the token that the account had got meanwhile. */
export type AttemptKind = 'rejection' | 'adoption'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    accounts: AccountTable
    account_past_tokens: { token_digest: Buffer; account_id: number | null; replaced_at: Generated<Date> }
    account_refreshes: { account_id: number; token_digest: Buffer; sent_at: Generated<Date> }
    account_pools: {
      runtime: string
      is_available: Generated<boolean>
      recovers_at: Date | null
      changed_at: Generated<Date>
    }
    account_uses: { run_marker: string; account_id: number; session_id: number; started_at: Generated<Date> }
    account_attempts: {
      id: Generated<number>
      session_id: number
      runtime: string
      kind: Generated<AttemptKind>
      attempted_at: Generated<Date>
    }
    quota_snapshots: SnapshotTable
    account_rotations: RotationTable
  }
}

export type AccountRow = Selectable<AccountTable>
export type SnapshotRow = Selectable<SnapshotTable>
export type RotationRow = Selectable<RotationTable>

/** The columns with credentials, for the vault. */
export const sealedTables = [{ table: 'accounts', id: 'id', columns: ['login'] }] as const
