import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  // The inbox lists triggers that were disabled.
  'triggers.changed': ['triggers', 'needs_you'],
}
