import type { Settings } from '@yardmaster/contract/settings/fields'
import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settings: { [Key in keyof Settings]: Generated<Settings[Key]> } & {
      only_row: Generated<boolean>
      updated_at: Generated<Date>
    }
  }
}

/** The defaults of the columns, for a database whose row was deleted. */
const defaultSettings: Settings = {
  default_runtime: null,
  default_model: null,
  spot_gating_enabled: true,
  spot_max_concurrent_sessions: 10,
  spot_gate_five_hour_threshold_pct: 80,
  spot_gate_weekly_threshold_pct: 80,
  genesis_class_overrides: {},
  uncategorized_position: 0,
  mcp_tool_search_enabled: true,
}

export async function selectSettings(db: Database | Transaction, { isLocked = false } = {}): Promise<Settings> {
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
  return (await (isLocked ? query.forUpdate() : query).executeTakeFirst()) ?? defaultSettings
}

/** Makes the row again if it was deleted. */
export async function upsertSettings(tx: Transaction, changes: Partial<Settings>): Promise<void> {
  const values = { ...changes, updated_at: sql<Date>`now()` }
  await tx
    .insertInto('settings')
    .values(values)
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(values))
    .execute()
}
