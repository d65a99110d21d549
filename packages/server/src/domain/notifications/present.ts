import type { Notification, NotificationType } from '@yardmaster/contract/notifications/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { NotificationRow } from './notification-store.ts'

export function presentNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    session_id: row.session_id,
    notification_type: row.notification_type,
    title: row.title,
    body: row.body,
    url: pageOf(row),
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

/** These are about no session, though each names one: the last that used the account or spent the money. */
const pages: Partial<Record<NotificationType, string>> = {
  account_needs_reauth: '/inference',
  budget_warning: '/costs',
  budget_exhausted: '/costs',
}

/** Where the notification and its push lead. A session by its id: a slug can change. */
export function pageOf(row: Pick<NotificationRow, 'notification_type' | 'session_id'>): string {
  return pages[row.notification_type] ?? `/sessions/${row.session_id}`
}
