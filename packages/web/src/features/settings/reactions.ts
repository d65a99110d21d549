import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'sign_ins.changed': ['sign_ins'],
  'settings.changed': ['settings', 'configs'],
}
