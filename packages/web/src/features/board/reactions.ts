import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'session.created': ['sessions.list'],
  'session.status_changed': ['sessions.list'],
  'session.status_summary_changed': ['sessions.list'],
  'session.deleted': ['sessions.list'],
  'categories.changed': ['categories', 'sessions.list'],
}
