import type { Result } from '../shared/api/client.ts'
import { useRead } from '../shared/api/hooks.ts'
import type { Reactions } from '../shared/live/live.tsx'

type Summary = Result<'board.summary'>

/** The figures around every page: one small read, renewed by events. No event says that a host died or that the day ended. */
export function useSummary(): Summary | undefined {
  return useRead('board.summary', {}, { everyMs: 60_000 }).data
}

const figures = ['board.summary'] as const

export const reactions: Reactions = {
  'session.created': figures,
  'session.status_changed': figures,
  'session.deleted': figures,
  'session.seen': figures,
  'session.changed': figures,
  'turn.started': figures,
  // With what the turn has cost.
  'turn.ended': figures,
  'triggers.changed': figures,
  'elicitation.raised': figures,
  'elicitation.resolved': figures,
  'notification.created': figures,
  'notifications.changed': figures,
  'work_backlog.changed': figures,
  'settings.changed': figures,
}
