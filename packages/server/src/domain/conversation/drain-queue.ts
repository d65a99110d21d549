import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type App, handleJob } from '../app.ts'
import { findStanding } from '../inbox/inbox.ts'
import { lockSessionIfThere, type SessionRow } from '../sessions/session.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { deliverFirst } from './speak.ts'

/** Time to queue the next one, to put them in order, or to think again. */
const drainAfterMs = 10_000

export async function drainSoon(app: App, tx: Transaction, { id }: SessionRow): Promise<void> {
  const runAt = new Date(app.clock.now().getTime() + drainAfterMs)
  await enqueue(tx, drainQueueJob, { sessionId: id }, { key: `${drainQueueJob.name}:${id}`, runAt })
}

/** Decided anew under its lock: it may have been spoken to meanwhile, which takes the queue along. */
export const drainQueue = handleJob(drainQueueJob, ({ sessionId }, app) =>
  transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id: sessionId })
    if (session && (await isAtRest(tx, session))) await deliverFirst(app, tx, session)
  }),
)

/** Whether nothing comes next unless somebody sees to it. */
export async function isAtRest(tx: Transaction, session: SessionRow): Promise<boolean> {
  const { underway, hasQueued } = await findStanding(tx, session.id)
  if (underway) return false
  return session.status === 'needs_input' || (session.status === 'waiting' && !hasQueued)
}
