import { handleJob, type Room } from '../app.ts'
import { checkIssues } from './check-issues.ts'
import { checkIssuesJob } from './check-issues-job.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

/** The job holds a worker of the queue for this long at most. The periodic work asks about the items that are still due. */
const jobMs = 20_000

export const backlog: Room = {
  name: 'backlog',
  endpoints,
  tools,
  jobs: [checkIssuesJob],
  handlers: [
    handleJob(checkIssuesJob, async (_payload, app) => {
      await checkIssues(app, AbortSignal.timeout(jobMs))
    }),
  ],
  periodic: [
    { name: 'check_backlog_issues', queue: 'pollers', intervalMs: 60_000, runs: 'one_host', run: checkIssues },
  ],
}
