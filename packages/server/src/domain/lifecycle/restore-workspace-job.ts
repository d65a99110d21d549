import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Puts an archived session's clone and conversation back on the host that held them. */
export const restoreWorkspaceJob = defineJob({
  name: 'restore_workspace',
  queue: 'default',
  payload: z.object({ callId: z.uuid(), sessionId: z.int() }),
  attempts: 3,
})
