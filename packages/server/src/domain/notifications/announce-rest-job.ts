import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Tells people that a session needs input, unless it has moved on meanwhile. */
export const announceRestJob = defineJob({
  name: 'announce_rest',
  queue: 'default',
  payload: z.object({ sessionId: z.int(), transitionId: z.int(), position: z.int() }),
  attempts: 10,
})
