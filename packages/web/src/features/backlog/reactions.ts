import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'work_backlog.changed': ['work_backlog_items'],
}
