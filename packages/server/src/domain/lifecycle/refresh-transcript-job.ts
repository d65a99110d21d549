import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Reads a session's transcript files on the host that holds them. */
export const refreshTranscriptJob = defineJob({
  name: 'refresh_transcript',
  queue: 'default',
  payload: z.object({ callId: z.uuid(), sessionId: z.int() }),
  attempts: 3,
})
