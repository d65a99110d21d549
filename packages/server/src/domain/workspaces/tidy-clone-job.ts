import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Removes the clone of an archived session if that loses no work. */
export const tidyCloneJob = defineJob({
  name: 'tidy_clone',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int() }),
  attempts: 10,
})
