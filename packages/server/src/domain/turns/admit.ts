import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type App, handleJob } from '../app.ts'
import { admitTurnsJob } from '../inbox/admit-turns-job.ts'
import {
  type Candidate,
  countLiveTurns,
  dispatchTurn,
  findCandidates,
  findOverdueTurns,
  isHostAlive,
  lockAdmission,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { classesByGenesis, clearHold, lockSessionIfThere, recordHold } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { runTurnJob } from './run-turn-job.ts'

export const admitTurns = handleJob(admitTurnsJob, (_payload, app) => admit(app))

/**
 * Dispatches each session's next turn: priority turns at once, spot turns while a slot is free. A held turn has no job
 * that could be lost; everything that may free a slot calls this again.
 */
export async function admit(app: App): Promise<void> {
  await transact(app.db, async (tx) => {
    await lockAdmission(tx)
    for (const { id, session_id } of await findOverdueTurns(tx)) await enqueueRun(tx, id, session_id)
    const settings = await readSettings(tx)
    const slots = settings.spot_gating_enabled ? settings.spot_max_concurrent_sessions : Number.POSITIVE_INFINITY
    let live = await countLiveTurns(tx)
    for (const candidate of await findCandidates(tx, classesByGenesis(settings))) {
      if (candidate.class === 'spot' && live >= slots) await holdTurn(app, tx, candidate, { live, slots })
      else if (await dispatch(app, tx, candidate)) live += 1
    }
  })
}

/** False if the turn is no longer queued, or its session was deleted after the candidates were read. */
async function dispatch(app: App, tx: Transaction, { id, session_id, is_held }: Candidate): Promise<boolean> {
  if (!(await lockSessionIfThere(tx, { id: session_id }))) return false
  if (!(await dispatchTurn(tx, id))) return false
  if (is_held) {
    await clearHold(tx, session_id)
    await note(app, tx, session_id, 'A slot is free; the held turn starts.')
  }
  await enqueueRun(tx, id, session_id)
  return true
}

/** Logs only the first time: later passes find the turn already held. */
async function holdTurn(
  app: App,
  tx: Transaction,
  candidate: Candidate,
  { live, slots }: { live: number; slots: number },
): Promise<void> {
  if (candidate.is_held) return
  const detail = `${live} sessions are running and the limit for spot work is ${slots}`
  if (!(await lockSessionIfThere(tx, { id: candidate.session_id }))) return
  await recordHold(tx, candidate.session_id, { at: app.clock.now(), reason: 'fleet_at_cap', detail })
  await note(app, tx, candidate.session_id, `Held: ${detail}. The turn starts when a slot is free.`, 'warning')
}

/** A first turn may run on any host. Later ones run on the host with the clone, unless that host is dead. */
async function enqueueRun(tx: Transaction, turnId: string, sessionId: number): Promise<void> {
  const session = await lockSessionIfThere(tx, { id: sessionId })
  if (!session) return
  const { host_id } = session
  const isBound = host_id !== null && (await isHostAlive(tx, host_id))
  const key = `${runTurnJob.name}:${turnId}`
  await enqueue(tx, runTurnJob, { turnId, sessionId }, { key, ...(isBound && { hostId: host_id }) })
}
