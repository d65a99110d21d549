import { pageOf } from '../../shared/state/page-of.ts'

export type NotificationsSearch = { status?: 'unread'; page?: number }

export function notificationsSearch(raw: Record<string, unknown>): NotificationsSearch {
  return { ...(raw.status === 'unread' && { status: 'unread' }), ...pageOf(raw) }
}
