import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Starts a dispatched turn. The row decides whether there is anything to do, so it may come twice. */
export const runTurnJob = defineJob({
  name: 'run_turn',
  queue: 'agents',
  payload: z.object({ turnId: z.uuid(), sessionId: z.int() }),
  attempts: 25,
})
