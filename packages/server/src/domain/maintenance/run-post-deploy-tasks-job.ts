import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

export const runPostDeployTasksJob = defineJob({
  name: 'run_post_deploy_tasks',
  queue: 'maintenance',
  payload: z.object({}),
  attempts: 3,
})
