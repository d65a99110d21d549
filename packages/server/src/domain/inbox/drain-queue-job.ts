import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Delivers the first queued message of a session at rest. */
export const drainQueueJob = defineJob({
  name: 'drain_queue',
  queue: 'agents',
  payload: z.object({ sessionId: z.int() }),
  attempts: 25,
})
