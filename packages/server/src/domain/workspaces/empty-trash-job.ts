import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Removes the files of an archived session after `trash_after`. */
export const emptyTrashJob = defineJob({
  name: 'empty_trash',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int() }),
  attempts: 10,
})
