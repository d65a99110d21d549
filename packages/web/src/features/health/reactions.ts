import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'health.changed': ['health.show'],
  'recovery_mode.changed': ['health'],
  'queued_jobs.changed': ['health.show'],
}
