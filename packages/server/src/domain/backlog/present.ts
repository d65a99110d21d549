import type { WorkBacklogItem } from '@yardmaster/contract/backlog/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { RankedRow } from './item-table.ts'

export function presentItem(row: RankedRow): WorkBacklogItem {
  const { payload } = row
  return {
    ...row,
    ratings: (payload.ratings ?? {}) as JsonObject, // checked when it was queued
    gate_session: textIn(payload, 'gate_session'),
    prompt: textIn(payload, 'prompt'),
    notes: textIn(payload, 'notes'),
    added_at: formatTimestamp(row.added_at),
    started_at: row.started_at && formatTimestamp(row.started_at),
    removed_at: row.removed_at && formatTimestamp(row.removed_at),
    liveness_checked_at: row.liveness_checked_at && formatTimestamp(row.liveness_checked_at),
  }
}

export function textIn(payload: JsonObject, name: 'gate_session' | 'prompt' | 'notes'): string | null {
  const value = payload[name]
  return typeof value === 'string' ? value : null
}
