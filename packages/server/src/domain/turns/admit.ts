import { setTimeout as wait } from 'node:timers/promises'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type App, handleJob } from '../app.ts'
import { admitTurnsJob } from '../inbox/admit-turns-job.ts'
import { dispatchNextTurns, findOverdueTurns, lockAdmission } from '../inbox/inbox.ts'
import { lockSession } from '../sessions/session.ts'
import { runTurnJob } from './run-turn-job.ts'

export const admitTurns = handleJob(admitTurnsJob, (_payload, app) => admit(app))

/** A lost wake-up call delays a turn by this much; an idle host pays for it with two small queries. */
const tickMs = 5000

/** Behind the wake-up calls: a job whose lock was taken by a connection that died is not seen again for hours. */
export function keepAdmitting(app: App): void {
  app.background.run('the admission of turns', async (signal) => {
    while (!signal.aborted) {
      await admit(app).catch((error: unknown) => app.log.debug({ reason: String(error) }, 'nothing was admitted now'))
      await wait(tickMs, undefined, { signal }).catch(() => undefined)
    }
  })
}

/** Lets each session's next turn run, and calls again for those that nobody came to take. */
async function admit(app: App): Promise<void> {
  await transact(app.db, async (tx) => {
    await lockAdmission(tx)
    for (const turn of [...(await findOverdueTurns(tx)), ...(await dispatchNextTurns(tx))]) await callFor(tx, turn)
  })
}

/** A first turn may run on any host, later ones on the one that holds the clone. */
async function callFor(tx: Transaction, { id, session_id }: { id: string; session_id: number }): Promise<void> {
  const { host_id } = await lockSession(tx, { id: session_id })
  await enqueue(
    tx,
    runTurnJob,
    { turnId: id },
    { key: `${runTurnJob.name}:${id}`, ...(host_id !== null && { hostId: host_id }) },
  )
}
