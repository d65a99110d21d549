import type { Room } from '../app.ts'
import { checkPullRequests } from './check-pull-requests.ts'
import { followAfterTurns, followPullRequests } from './follow-pull-requests.ts'
import { followPullRequestsJob } from './follow-pull-requests-job.ts'

export const pullRequests: Room = {
  name: 'pull-requests',
  jobs: [followPullRequestsJob],
  handlers: [followPullRequests],
  subscriptions: [followAfterTurns],
  periodic: [
    { name: 'check_pull_requests', queue: 'pollers', intervalMs: 30_000, runs: 'one_host', run: checkPullRequests },
  ],
}
