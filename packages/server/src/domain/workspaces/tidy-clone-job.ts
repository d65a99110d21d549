import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Frees the disk of an archived session as far as nothing is lost by it. */
export const tidyCloneJob = defineJob({
  name: 'tidy_clone',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int() }),
  attempts: 10,
})
