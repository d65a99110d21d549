import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/**
 * Removes what a session without a row left on its host, because it was deleted or its fork did not finish: processes,
 * clone and runtime home.
 */
export const removeFilesJob = defineJob({
  name: 'remove_session_files',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int(), runMarkers: z.array(z.string()) }),
  attempts: 25,
})
