import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'session.status_changed': ['sessions.show', 'turns', 'subagents', 'enqueued_messages', 'logs', 'costs.show'],
  'session.changed': ['sessions.show'],
  'session.push_switch_changed': ['sessions.push_notifications'],
  'queue.changed': ['enqueued_messages'],
  'turn.started': ['sessions.show', 'turns'],
  'turn.ended': ['sessions.show', 'turns', 'subagents', 'costs.show'],
  'session.status_summary_changed': ['sessions.show'],
  'session.deleted': ['sessions.show'],
}
