import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'gate_decisions.changed': ['gate_decisions'],
}
