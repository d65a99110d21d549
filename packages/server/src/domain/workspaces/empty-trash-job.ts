import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** What the archive kept of a session goes when its time is over. */
export const emptyTrashJob = defineJob({
  name: 'empty_trash',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int() }),
  attempts: 10,
})
