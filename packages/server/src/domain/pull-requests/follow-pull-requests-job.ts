import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Looks for pull requests in what a turn has written, and checks the notices that wait for the session's rest. */
export const followPullRequestsJob = defineJob({
  name: 'follow_pull_requests',
  queue: 'pollers',
  payload: z.object({ sessionId: z.int() }),
  attempts: 10,
})
