import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'elicitation.raised': ['elicitations', 'needs_you'],
  'elicitation.resolved': ['elicitations', 'needs_you'],
  'session.seen': ['needs_you'],
}
