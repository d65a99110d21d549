import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** A session that rests takes the first message of its queue. */
export const drainQueueJob = defineJob({
  name: 'drain_queue',
  queue: 'agents',
  payload: z.object({ sessionId: z.int() }),
  attempts: 5,
})
