import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Reads the usage of one session again, on the host that holds its files. */
export const rereadUsageJob = defineJob({
  name: 'reread_usage',
  queue: 'maintenance',
  payload: z.object({ runId: z.int(), sessionId: z.int() }),
  attempts: 5,
})
