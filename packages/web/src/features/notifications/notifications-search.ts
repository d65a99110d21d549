export type NotificationsSearch = { status?: 'unread' }

export function notificationsSearch(raw: Record<string, unknown>): NotificationsSearch {
  return raw.status === 'unread' ? { status: 'unread' } : {}
}
