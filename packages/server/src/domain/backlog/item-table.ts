import type { EstimatedCost, ItemStatus, Liveness, ScopeDirection } from '@yardmaster/contract/backlog/vocabulary'
import type { JsonObject } from '@yardmaster/contract/json'
import type { ColumnType, Generated, Selectable } from 'kysely'

type ItemTable = {
  id: Generated<number>
  key: string
  issue_url: string | null
  repo: string
  surface: string
  title: string
  kind: string
  scope_direction: ScopeDirection
  estimated_cost: EstimatedCost
  gate_verdict: string | null
  /** Read as text: the driver would make a moment of a day. */
  decided_at: string | null
  payload: ColumnType<JsonObject, string, never>
  added_at: Date
  added_by: string
  added_via: 'import' | 'mcp' | 'api'
  precedence: number
  pinned: Generated<boolean>
  status: Generated<ItemStatus>
  writing_session_id: number | null
  started_session_id: number | null
  started_by_session_id: number | null
  started_at: Date | null
  removed_at: Date | null
  removed_by: string | null
  removal_reason: string | null
  liveness: Generated<Liveness>
  liveness_checked_at: Date | null
  liveness_check_at: Date | null
  liveness_asked_at: Date | null
  /** Compared in SQL only: it does not fit into a number. */
  rank_key: ColumnType<never, never, never>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    work_backlog_items: ItemTable
    /** How many items there are of each kind. Only database triggers write it. */
    work_backlog_counts: {
      status: ItemStatus
      surface: string
      repo: string
      kind: string
      scope_direction: ScopeDirection
      estimated_cost: EstimatedCost
      added_by: string
      pinned: boolean
      items: number
    }
    /** How many queued items have a sort key that begins with `prefix`. Only database triggers write it. */
    work_backlog_ranks: { shift: number; prefix: ColumnType<never, never, never>; items: number }
  }
}

export type ItemRow = Omit<Selectable<ItemTable>, 'rank_key' | 'liveness_check_at' | 'liveness_asked_at'>
/** `position` is null off the queue. */
export type RankedRow = ItemRow & { position: number | null }
