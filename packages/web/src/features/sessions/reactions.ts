import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'session.status_changed': ['sessions.show', 'turns', 'subagents', 'enqueued_messages', 'logs', 'costs.show'],
  'session.status_summary_changed': ['sessions.show'],
  'session.deleted': ['sessions.show'],
}
