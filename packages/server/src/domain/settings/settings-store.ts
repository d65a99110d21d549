import type { Settings } from '@yardmaster/contract/settings/fields'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settings: Settings & { updated_at: Date }
  }
}

export function selectSettings(db: Database | Transaction, { isLocked = false } = {}): Promise<Settings> {
  const query = db
    .selectFrom('settings')
    .select([
      'default_runtime',
      'default_model',
      'spot_gating_enabled',
      'spot_max_concurrent_sessions',
      'spot_gate_five_hour_threshold_pct',
      'spot_gate_weekly_threshold_pct',
      'genesis_class_overrides',
      'uncategorized_position',
      'mcp_tool_search_enabled',
    ])
  return (isLocked ? query.forUpdate() : query).executeTakeFirstOrThrow()
}

export async function updateSettings(tx: Transaction, changes: Partial<Settings>): Promise<void> {
  await tx
    .updateTable('settings')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .execute()
}
