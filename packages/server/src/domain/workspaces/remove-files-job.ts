import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/**
 * What a session without a row leaves on the disk of its host, because it was deleted or its fork was never finished:
 * processes, its clone, its runtime home.
 */
export const removeFilesJob = defineJob({
  name: 'remove_session_files',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int(), runMarkers: z.array(z.string()) }),
  attempts: 25,
})
