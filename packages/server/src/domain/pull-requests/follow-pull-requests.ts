import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { defineSubscription, handleJob } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { checkPullRequest } from './check-pull-requests.ts'
import { findInTranscript } from './find-pull-requests.ts'
import { followPullRequestsJob } from './follow-pull-requests-job.ts'
import { selectUnchecked, selectWithNotice } from './pull-request-store.ts'

/** A turn that has ended has stored everything its agent wrote. */
export const followAfterTurns = defineSubscription({
  name: 'follow_pull_requests_after_turns',
  queue: 'pollers',
  startsAt: 'now',
  to: [sessionStatusChanged],
  handle: async (app, tx, { sessionId, payload }) => {
    if (!app.forge.client || sessionId === null || payload.from !== 'running') return
    await enqueue(tx, followPullRequestsJob, { sessionId }, { key: `${followPullRequestsJob.name}:${sessionId}` })
  },
})

/** May run twice: the second run finds nothing new. */
export const followPullRequests = handleJob(followPullRequestsJob, async ({ sessionId }, app) => {
  await transact(app.db, (tx) => findInTranscript(app, tx, sessionId))
  const due = [...(await selectUnchecked(app.db, sessionId)), ...(await selectWithNotice(app.db, sessionId))]
  for (const name of due) await checkPullRequest(app, name)
})
