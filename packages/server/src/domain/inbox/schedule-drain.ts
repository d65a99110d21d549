import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { SessionRow } from '../sessions/session.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { findStanding } from './turn-store.ts'

/** Grace period in which callers may queue more messages, reorder them or delete one. */
const drainAfterMs = 10_000

/** Schedules delivery of the first queued message. The conversation room handles the job. */
export async function scheduleDrain(tx: Transaction, { id }: SessionRow): Promise<void> {
  await enqueue(tx, drainQueueJob, { sessionId: id }, { key: `${drainQueueJob.name}:${id}`, delayMs: drainAfterMs })
}

/** True if no turn is live and no queued turn is about to be dispatched. */
export async function isAtRest(tx: Transaction, session: SessionRow): Promise<boolean> {
  const { underway, hasQueued } = await findStanding(tx, session.id)
  if (underway) return false
  return session.status === 'needs_input' || (session.status === 'waiting' && !hasQueued)
}
