import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Both are enqueued for a given host, because they work on that host's disk. */
export const checkClisJob = defineJob({
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
