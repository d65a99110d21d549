import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'elicitation.raised': ['elicitations'],
  'elicitation.resolved': ['elicitations'],
}
