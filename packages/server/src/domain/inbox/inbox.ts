import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { admitTurnsJob } from './admit-turns-job.ts'
import { insertTurn, type NewTurn } from './turn-store.ts'

/** The face of the room: every prompt is a row here before anybody is told that it was accepted. */
export {
  type Candidate,
  countLiveTurns,
  dispatchTurn,
  forgetHosts,
  isHostAlive,
  lockAdmission,
  selectCandidates as findCandidates,
  selectOverdueTurns as findOverdueTurns,
  upsertHost as noteAlive,
} from './admission-store.ts'
export {
  claimTurn,
  recordProcess,
  recordReceipt,
  releaseTurn,
  renewLease,
  retireTurn,
  seizeExpiredTurns,
  selectHeldTurn as findHeldTurn,
  selectTurnsHeldBy as findTurnsHeldBy,
  type TurnHold,
  type TurnResult,
  takeSeizedFrom,
} from './lease-store.ts'
export {
  deleteMessage,
  hasPendingMessages,
  insertMessage as queueMessage,
  type Message,
  type MessageOrigin,
  moveMessage,
  retireMessage,
  retireMessages,
  returnMessage,
  selectMessage as findMessage,
  selectPendingMessages as findPendingMessages,
  takeFirstMessage,
  updateMessage,
} from './message-store.ts'
export {
  endQueuedTurns,
  selectLastTurn as findLastTurn,
  selectRunMarkers as findRunMarkers,
  selectStanding as findStanding,
  type Turn,
  withdrawLiveTurn,
} from './turn-store.ts'
export type { FailureReason, TurnSource, Withdrawal } from './turn-table.ts'

/** Writes the session's next turn and wakes admission, in the caller's transaction. */
export async function acceptTurn(tx: Transaction, turn: NewTurn): Promise<string> {
  const id = await insertTurn(tx, turn)
  await wakeAdmission(tx, turn.sessionId)
  return id
}

/** Keyed by session: one waiting wake-up each is enough, and writers of different sessions never wait for each other. */
export async function wakeAdmission(tx: Transaction, sessionId: number): Promise<void> {
  await enqueue(tx, admitTurnsJob, {}, { key: `${admitTurnsJob.name}:${sessionId}` })
}
