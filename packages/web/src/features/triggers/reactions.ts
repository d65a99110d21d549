import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  // The inbox lists triggers that were disabled.
  'triggers.changed': ['triggers', 'needs_you'],
  // The page of a trigger lists the sessions it started.
  'session.status_changed': { names: ['triggers.show'], everyMs: 2_000 },
}
