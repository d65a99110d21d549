import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'notification.created': ['notifications'],
  'notifications.changed': ['notifications'],
  'push_subscriptions.changed': ['push_subscriptions'],
}
