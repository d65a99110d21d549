import type { JsonObject } from '@yardmaster/contract/json'
import type { PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import type { TriggerStatus } from '@yardmaster/contract/triggers/fields'
import type { Generated, JSONColumnType, Selectable } from 'kysely'

/** Names that a past fire did not find in the catalog: by list, then by name, when that was first seen. */
export type UnresolvedReferences = Record<string, Record<string, string>>

type TriggerTable = {
  id: Generated<number>
  name: string
  status: Generated<TriggerStatus>
  agent_root_name: string
  prompt_template: string
  goal: string | null
  reuse_session: Generated<boolean>
  enqueue_messages: Generated<boolean>
  resuscitate_archived: Generated<boolean>
  skip_if_pending_session: Generated<boolean>
  max_sessions_per_minute: number | null
  coalesce_window_seconds: number | null
  scheduling_class: PriorityClass | null
  precedence: number | null
  mcp_servers: Generated<string[]>
  catalog_skills: Generated<string[]>
  catalog_hooks: Generated<string[]>
  catalog_plugins: Generated<string[]>
  unresolved_references: JSONColumnType<UnresolvedReferences, string | undefined, string>
  last_session_id: number | null
  /** The session whose agent made the trigger. */
  made_by_session_id: number | null
  last_triggered_at: Date | null
  sessions_created_count: Generated<number>
  missed_fire_count: Generated<number>
  first_missed_fire_at: Date | null
  burst_window_started_at: Date | null
  burst_window_count: Generated<number>
  burst_window_session_ids: Generated<number[]>
  burst_ends_at: Date | null
  suppressed_event_count: Generated<number>
  failed_attempts: Generated<number>
  failed_at: Date | null
  last_error: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

type ConditionTable = {
  id: Generated<number>
  trigger_id: number
  condition_type: ConditionType
  configuration: JSONColumnType<JsonObject, string, string>
  is_one_shot: boolean
  armed_at: Generated<Date>
  next_run_at: Date | null
  last_triggered_at: Date | null
  last_polled_at: Date | null
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    triggers: TriggerTable
    trigger_conditions: ConditionTable
    trigger_cursors: {
      condition_id: number
      name: string
      state: JSONColumnType<object, string, string>
      updated_at: Generated<Date>
    }
  }
}

export type TriggerRow = Selectable<TriggerTable>
export type ConditionRow = Selectable<ConditionTable>
