import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

export const pruneNotificationsJob = defineJob({
  name: 'prune_notifications',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})
