import type { JsonObject } from '@yardmaster/contract/json'
import type { Genesis, PriorityClass, SessionStatus, Visibility } from '@yardmaster/contract/sessions/fields'
import type { Generated, JSONColumnType, Selectable } from 'kysely'
import type { StoredMetadata } from './metadata.ts'

/** Read as an object, written as JSON text. */
type JsonColumn<Value extends object = JsonObject> = JSONColumnType<Value, string | undefined, string>

export type SessionTable = {
  id: Generated<number>
  slug: string | null
  idempotency_key: string | null
  title: string | null
  /** Only `transition` writes it. */
  status: Generated<SessionStatus>
  agent_runtime: string
  genesis: Genesis
  scheduling_class: PriorityClass | null
  precedence: Generated<number>
  parent_session_id: number | null
  summary_of_session_id: number | null
  prompt: string | null
  git_root: string
  branch: string
  subdirectory: string | null
  goal: string | null
  mcp_servers: Generated<string[]>
  injected_mcp_servers: Generated<string[]>
  catalog_skills: Generated<string[]>
  catalog_hooks: Generated<string[]>
  catalog_plugins: Generated<string[]>
  config: JsonColumn
  metadata: JsonColumn<StoredMetadata>
  custom_metadata: JsonColumn
  is_autonomous: Generated<boolean>
  heartbeat_enabled: Generated<boolean>
  heartbeat_interval_seconds: Generated<number>
  auto_compact_window: Generated<number>
  category_id: number | null
  sort_order: Generated<number>
  favorited: Generated<boolean>
  visibility: Generated<Visibility>
  snoozed_until: Date | null
  session_notes: string | null
  session_notes_updated_at: Date | null
  session_id: string | null
  host_id: string | null
  job_id: string | null
  running_job_id: string | null
  archived_at: Date | null
  trash_after: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionTable
    session_transitions: {
      id: Generated<number>
      session_id: number
      cause: string
      from_status: SessionStatus
      to_status: SessionStatus
      turn_id: string | null
      created_at: Generated<Date>
    }
  }
}

export type SessionRow = Selectable<SessionTable>

/** A session with the columns of its category that `presentSession` needs. */
export type SessionWithCategory = SessionRow & {
  category_name: string | null
  category_position: number | null
  category_is_frozen: boolean | null
}
