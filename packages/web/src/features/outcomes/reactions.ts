import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'outcome_analyses.changed': ['outcome_analyses'],
}
