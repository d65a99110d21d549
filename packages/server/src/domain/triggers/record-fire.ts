import type { Updateable } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { disarmConditions, updateTrigger } from './trigger-store.ts'
import type { TriggerRow } from './trigger-table.ts'

/** What a fire may change about its trigger: counters, the state of a burst, and what it learned about the catalog. */
export type FireChanges = Pick<
  Updateable<Tables['triggers']>,
  | 'agent_root_name'
  | 'unresolved_references'
  | 'last_session_id'
  | 'last_triggered_at'
  | 'sessions_created_count'
  | 'missed_fire_count'
  | 'first_missed_fire_at'
  | 'burst_window_started_at'
  | 'burst_window_count'
  | 'burst_window_session_ids'
  | 'burst_ends_at'
  | 'suppressed_event_count'
  | 'failed_attempts'
>

export function recordFire(tx: Transaction, id: number, changes: FireChanges): Promise<TriggerRow> {
  return updateTrigger(tx, id, changes)
}

/** The trigger fires no more until it is enabled again. */
export async function parkTrigger(tx: Transaction, id: number, now: Date, reason: string): Promise<void> {
  await disarmConditions(tx, id)
  await updateTrigger(tx, id, { status: 'failed', failed_at: now, last_error: reason })
}
