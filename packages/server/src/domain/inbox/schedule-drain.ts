import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { App } from '../app.ts'
import type { SessionRow } from '../sessions/session.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { selectStanding } from './turn-store.ts'

/** Leaves the caller time to queue more messages, reorder them or take one back. */
const drainAfterMs = 10_000

/** Schedules delivery of the first queued message. The conversation room handles the job. */
export async function drainSoon(app: App, tx: Transaction, { id }: SessionRow): Promise<void> {
  const runAt = new Date(app.clock.now().getTime() + drainAfterMs)
  await enqueue(tx, drainQueueJob, { sessionId: id }, { key: `${drainQueueJob.name}:${id}`, runAt })
}

/** True if no turn is live and none is queued that would start by itself. */
export async function isAtRest(tx: Transaction, session: SessionRow): Promise<boolean> {
  const { underway, hasQueued } = await selectStanding(tx, session.id)
  if (underway) return false
  return session.status === 'needs_input' || (session.status === 'waiting' && !hasQueued)
}
