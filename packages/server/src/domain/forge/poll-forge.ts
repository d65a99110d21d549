import { transact } from '../../platform/db/transact.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { poll } from '../../platform/pollers/poll.ts'
import { pollEach } from '../../platform/pollers/poll-each.ts'
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
    const { failed } = await pollEach(
      polls,
      async ({ id, run }) => {
        await run()
        await transact(app.db, (tx) => recordPolled(tx, [id]))
      },
      { signal },
    )
    for (const { item, error } of failed)
      app.log.warn({ condition: item.id, reason: error.message }, 'a forge condition was not polled')
    const refused = failed.find(({ error }) => error.kind === 'refused')
    if (refused) throw refused.error
  })
}
