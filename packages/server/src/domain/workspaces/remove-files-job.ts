import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** What a deleted session leaves on the disk of its host: processes that may still run, its clone, its runtime home. */
export const removeFilesJob = defineJob({
  name: 'remove_session_files',
  queue: 'maintenance',
  payload: z.object({ sessionId: z.int(), runMarkers: z.array(z.string()) }),
  attempts: 25,
})
