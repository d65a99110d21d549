import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'recovery_mode.changed': ['health.show'],
  'queued_jobs.changed': ['health.show'],
}
