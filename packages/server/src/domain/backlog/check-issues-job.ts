import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'

/** Enqueued when a person asks. The periodic work checks the items that this job leaves due. */
export const checkIssuesJob = defineJob({
  name: 'check_backlog_issues_now',
  queue: 'pollers',
  payload: z.object({}),
  attempts: 1,
})
