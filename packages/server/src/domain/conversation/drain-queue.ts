import { transact } from '../../platform/db/transact.ts'
import { handleJob } from '../app.ts'
import { drainQueueJob } from '../inbox/drain-queue-job.ts'
import { isAtRest } from '../inbox/inbox.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { startFirstQueued } from './deliver-prompt.ts'

/** Decided again under the session's lock: a follow-up in the meantime takes the queue along. */
export const drainQueue = handleJob(drainQueueJob, ({ sessionId }, app) =>
  transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id: sessionId })
    if (session && (await isAtRest(tx, session))) await startFirstQueued(app, tx, session)
  }),
)
