import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'accounts.changed': ['accounts'],
  'accounts.pool_recovered': ['accounts'],
  'login_attempts.changed': ['login_attempts', 'accounts'],
}
