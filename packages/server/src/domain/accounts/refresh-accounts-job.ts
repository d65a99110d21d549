import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

export const refreshAccountsJob = defineJob({
  name: 'refresh_accounts',
  queue: 'default',
  payload: z.object({}),
  attempts: 3,
})
