import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Starts a dispatched turn. A second run of the job finds the turn claimed and does nothing. */
export const runTurnJob = defineJob({
  name: 'run_turn',
  queue: 'agents',
  payload: z.object({ turnId: z.uuid(), sessionId: z.int() }),
  attempts: 25,
})
