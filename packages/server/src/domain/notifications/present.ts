import type { Notification } from '@yardmaster/contract/notifications/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { NotificationRow } from './notification-store.ts'

export function presentNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    session_id: row.session_id,
    notification_type: row.notification_type,
    title: row.title,
    body: row.body,
    url: pageOf(row.session_id),
    read: row.read,
    stale: row.stale,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    session: {
      id: row.session_id,
      slug: row.session_slug,
      title: row.session_title,
      status: row.session_status,
    },
  }
}

/** By id: a slug can change. */
export function pageOf(sessionId: number): string {
  return `/sessions/${sessionId}`
}
