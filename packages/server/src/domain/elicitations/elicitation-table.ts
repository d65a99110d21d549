import type { Asker, ElicitationStatus, LostReason } from '@yardmaster/contract/elicitations/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import type { Generated, JSONColumnType, Selectable } from 'kysely'

type OptionalJson = JSONColumnType<JsonObject | null, string | null, string | null>

type ElicitationTable = {
  id: Generated<number>
  session_id: number
  request_id: string
  /** Of the keys in `_meta`. */
  namespace: string
  asked_by: Asker
  /** The run whose processes wait for the answer. Null if a caller asked with an API key. */
  run_marker: string | null
  status: Generated<ElicitationStatus>
  mode: Generated<'form'>
  message: string
  requested_schema: OptionalJson
  meta: JSONColumnType<JsonObject, string, string>
  tool_name: string | null
  context: string | null
  mcp_session_id: string | null
  expires_at: Date
  response_content: OptionalJson
  responded_at: Date | null
  lost_reason: LostReason | null
  /** When an MCP server last asked for the answer, to within seconds. */
  polled_at: Generated<Date>
  delivered_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    elicitations: ElicitationTable
    elicitation_tokens: { session_id: number; digest: Buffer; run_marker: string; created_at: Generated<Date> }
  }
}

export type ElicitationRow = Selectable<ElicitationTable>
