import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'triggers.changed': ['triggers'],
}
