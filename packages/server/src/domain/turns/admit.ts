import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handleJob } from '../app.ts'
import { admitTurnsJob } from '../inbox/admit-turns-job.ts'
import { dispatchNextTurns } from '../inbox/inbox.ts'
import { lockSession } from '../sessions/session.ts'
import { runTurnJob } from './run-turn-job.ts'

/** Lets each session's next turn run. A first turn may run on any host, later ones on the one that holds the clone. */
export const admitTurns = handleJob(admitTurnsJob, async (_payload, app) => {
  await transact(app.db, async (tx) => {
    for (const { id, session_id } of await dispatchNextTurns(tx)) {
      const { host_id } = await lockSession(tx, { id: session_id })
      await enqueue(tx, runTurnJob, { turnId: id }, host_id === null ? {} : { hostId: host_id })
    }
  })
})
