import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'work_backlog.changed': ['work_backlog_items'],
  // A started item is in flight or parked by the status of its session.
  'session.status_changed': { names: ['work_backlog_items'], everyMs: 2_000 },
}
