import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'budgets.changed': ['budgets'],
}
