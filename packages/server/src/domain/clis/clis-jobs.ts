import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Each is bound to a host: what it is about lies on that host's disk. */
export const lookAtClisJob = defineJob({
  name: 'look_at_clis',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})

export const clearPackageCachesJob = defineJob({
  name: 'clear_package_caches',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})
