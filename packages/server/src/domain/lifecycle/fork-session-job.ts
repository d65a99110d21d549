import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Forks a session on the host that holds its clone. */
export const forkSessionJob = defineJob({
  name: 'fork_session',
  queue: 'default',
  payload: z.object({ callId: z.uuid(), sessionId: z.int(), messageIndex: z.int() }),
  attempts: 3,
})
