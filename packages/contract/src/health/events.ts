import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** Recovery mode was entered, extended or left, or has expired. */
export const recoveryModeChanged = defineEvent({
  name: 'recovery_mode.changed',
  payload: z.object({ change: z.enum(['entered', 'extended', 'exited', 'expired']) }),
})

/** A part of the health report has been critical for two checks, or no longer is. */
export const healthChanged = defineEvent({
  name: 'health.changed',
  payload: z.object({ part: z.string(), change: z.enum(['critical', 'recovered']), message: z.string() }),
})

/** Queued jobs were discarded or moved by hand. */
export const queuedJobsChanged = defineEvent({
  name: 'queued_jobs.changed',
  payload: z.object({ action: z.enum(['discard', 'reschedule']), affected: z.int() }),
})
