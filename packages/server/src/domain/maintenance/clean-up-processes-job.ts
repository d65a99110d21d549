import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Bound to a host. In the queue that recovery mode leaves running: leftovers are a reason to enter it. */
export const cleanUpProcessesJob = defineJob({
  name: 'clean_up_processes',
  queue: 'agents',
  payload: z.object({ callId: z.string() }),
  attempts: 1,
})
