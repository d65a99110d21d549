import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { admitTurnsJob } from './admit-turns-job.ts'
import { insertTurn, type NewTurn } from './turn-store.ts'

/** The face of the room: every prompt is a committed row here before the caller gets its answer. */
export {
  type Candidate,
  countLiveTurns,
  dispatchTurn,
  findCandidates,
  findLiveSessions,
  findOverdueTurns,
  lockAdmission,
} from './admission-store.ts'
export { appendToQueue } from './append-to-queue.ts'
export {
  claimTurn,
  deleteOldRuns,
  findAbandonedRuns,
  findHeldTurn,
  findTurnsHeldBy,
  forgetAbandonedRun,
  type HeldTurn,
  lockHold,
  recordProcess,
  recordReceipt,
  releaseFailedTurn,
  releaseTurn,
  renewLease,
  retireTurn,
  seizeExpiredTurns,
  startRetryDelaysSeconds,
  type TurnHold,
  type TurnResult,
} from './lease-store.ts'
export {
  confirmMessage,
  extendMessage,
  findMessage,
  findPendingMessages,
  hasPendingMessages,
  type Message,
  type MessageOrigin,
  moveMessage,
  type NewMessage,
  queueMessage,
  retireMessage,
  retireMessages,
  takeFirstMessage,
} from './message-store.ts'
export { presentMessage } from './present-message.ts'
export { returnPrompt, returnQueuedTurns } from './return-prompt.ts'
export { isAtRest, scheduleDrain } from './schedule-drain.ts'
export { TurnLost, transactHeld } from './transact-held.ts'
export { findSessionIdByTurnKey, isTurnKey, newTurnKey, turnKeyDigest } from './turn-key.ts'
export {
  findLastTurn,
  findRunMarkers,
  findStanding,
  markByPerson,
  type NewTurn,
  type Turn,
  withdrawLiveTurn,
} from './turn-store.ts'
export { type FailureReason, failureReasons, type TurnSource, type Withdrawal } from './turn-table.ts'
export { findNextWake } from './wake-store.ts'

/** Writes the session's next turn and wakes admission, in the caller's transaction. */
export async function acceptTurn(tx: Transaction, turn: NewTurn): Promise<string> {
  const id = await insertTurn(tx, turn)
  await wakeAdmission(tx, turn.sessionId)
  return id
}

/** Looks for queued turns once more after a pause. */
export async function wakeAdmissionAfter(tx: Transaction, turnId: string, delaySeconds: number): Promise<void> {
  await enqueue(tx, admitTurnsJob, {}, { key: `${admitTurnsJob.name}:${turnId}`, delayMs: delaySeconds * 1000 })
}

/** For sessions whose rows were locked by others: one pending job for all of them. */
export async function wakeAdmissionAgain(tx: Transaction): Promise<void> {
  await enqueue(tx, admitTurnsJob, {}, { key: `${admitTurnsJob.name}:again`, delayMs: 500 })
}

/** Keyed by session: at most one pending job each, and writers of different sessions do not contend. */
export async function wakeAdmission(tx: Transaction, sessionId: number): Promise<void> {
  await enqueue(tx, admitTurnsJob, {}, { key: `${admitTurnsJob.name}:${sessionId}` })
}
