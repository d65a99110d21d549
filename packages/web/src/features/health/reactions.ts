import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'health.changed': ['health.show'],
  'recovery_mode.changed': ['health.show'],
  'queued_jobs.changed': ['health.show'],
}
