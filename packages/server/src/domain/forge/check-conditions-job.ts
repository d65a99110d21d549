import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

export const checkConditionsJob = defineJob({
  name: 'check_forge_conditions',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})
