import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** Recovery mode was entered, extended or left, or has expired. */
export const recoveryModeChanged = defineEvent({
  name: 'recovery_mode.changed',
  payload: z.object({ change: z.enum(['entered', 'extended', 'exited', 'expired']) }),
})

/** Queued jobs were discarded or moved by hand. */
export const queuedJobsChanged = defineEvent({
  name: 'queued_jobs.changed',
  payload: z.object({ action: z.enum(['discard', 'reschedule']), affected: z.int() }),
})
