import type { Elicitation, ElicitationPoll } from '@yardmaster/contract/elicitations/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { ElicitationRow } from './elicitation-table.ts'

/** What an asker reads, in its own namespace. */
export function presentPoll(row: ElicitationRow): ElicitationPoll {
  const { namespace, responded_at: respondedAt } = row
  return {
    action: row.status,
    content: row.response_content,
    _meta: {
      [`${namespace}/request-id`]: row.request_id,
      ...(respondedAt && { [`${namespace}/responded-at`]: formatTimestamp(respondedAt) }),
    },
  }
}

export function presentPending(row: Pick<ElicitationRow, 'namespace' | 'request_id'>): ElicitationPoll {
  return { action: 'pending', content: null, _meta: { [`${row.namespace}/request-id`]: row.request_id } }
}

export function presentElicitation(row: ElicitationRow): Elicitation {
  return {
    id: row.id,
    request_id: row.request_id,
    session_id: row.session_id,
    status: row.status,
    mode: row.mode,
    message: row.message,
    requested_schema: row.requested_schema,
    meta: row.meta,
    tool_name: row.tool_name,
    context: row.context,
    mcp_session_id: row.mcp_session_id,
    asked_by: row.asked_by,
    content: row.response_content,
    lost_reason: row.lost_reason,
    expires_at: formatTimestamp(row.expires_at),
    responded_at: row.responded_at && formatTimestamp(row.responded_at),
    delivered_at: row.delivered_at && formatTimestamp(row.delivered_at),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }
}
