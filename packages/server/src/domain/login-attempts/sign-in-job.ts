import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Starts the vendor's login command for an attempt. A second run finds the attempt claimed and does nothing. */
export const signInJob = defineJob({
  name: 'sign_in',
  queue: 'default',
  payload: z.object({ attemptId: z.int() }),
  attempts: 3,
})
