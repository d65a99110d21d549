import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { handleJob } from '../app.ts'
import { drainQueueJob } from '../inbox/drain-queue-job.ts'
import { isAtRest } from '../inbox/inbox.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { startFirstQueued } from './deliver-prompt.ts'

/**
 * Waits for the database: a job that gave up would leave the messages of a resting session until a caller speaks. Checks
 * again under the session's row lock: a follow-up may have started the queue since the job was
 * enqueued.
 */
export const drainQueue = handleJob(drainQueueJob, ({ sessionId }, app) =>
  untilReachable(() =>
    transact(app.db, async (tx) => {
      const session = await lockSessionIfThere(tx, { id: sessionId })
      if (session && (await isAtRest(tx, session))) await startFirstQueued(app, tx, session)
    }),
  ),
)
