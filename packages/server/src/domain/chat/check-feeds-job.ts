import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

export const checkFeedsJob = defineJob({
  name: 'check_chat_feeds',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})
