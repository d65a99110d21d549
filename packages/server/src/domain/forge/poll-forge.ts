import { transact } from '../../platform/db/transact.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import { deleteOldDeliveries } from '../../platform/webhooks/delivery-store.ts'
import type { App } from '../app.ts'
import { findConditions, recordPolled } from '../triggers/trigger.ts'
import { pollIssues } from './poll-issues.ts'
import { pollLabels } from './poll-labels.ts'

/** One search for each condition. Without a forge or a condition it does nothing. */
export async function pollForge(app: App, signal: AbortSignal): Promise<RunResult> {
  const { client } = app.forge
  if (!client) return 'done'
  const polls = [
    ...(await findConditions(app.db, ['forge_label'])).map((each) => ({
      id: each.id,
      run: () => pollLabels(app, client, each),
    })),
    ...(await findConditions(app.db, ['forge_issue'])).map((each) => ({
      id: each.id,
      run: () => pollIssues(app, client, each),
    })),
  ]
  if (polls.length === 0) return 'done'
  return poll(app, 'forge', async () => {
    const refusals: RemoteFailed[] = []
    for (const { id, run } of polls) {
      if (signal.aborted) return
      try {
        await run()
        await transact(app.db, (tx) => recordPolled(tx, [id]))
      } catch (error) {
        // A repository that is gone or closed to us does not keep the other conditions from being polled.
        if (!(error instanceof RemoteFailed) || error.kind !== 'refused') throw error
        refusals.push(error)
      }
    }
    const [first] = refusals
    if (first) throw first
  })
}

export async function forgetOldDeliveries(app: App): Promise<RunResult> {
  await deleteOldDeliveries(app.db)
  return 'done'
}
