import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'session.status_changed': ['sessions.show', 'sessions.transcript', 'enqueued_messages', 'logs'],
  'session.status_summary_changed': ['sessions.show'],
  'session.deleted': ['sessions.show'],
}
