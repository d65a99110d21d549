import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { App } from '../app.ts'
import {
  acceptTurn,
  type FailureReason,
  releaseTurn,
  retireTurn,
  type TurnHold,
  wakeAdmission,
} from '../inbox/inbox.ts'
import { lockSession, transition, updateSession } from '../sessions/session.ts'
import { recoveryPrompt } from './recovery-prompt.ts'
import { runTurnJob } from './run-turn-job.ts'

/** Everything that can become of a turn somebody took. */
export type Outcome =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; reason: FailureReason; detail: string }
  /** We stopped or died before the agent was done. */
  | { kind: 'cut_short' }
  /** The turn is no longer ours; whoever has it writes its end. */
  | { kind: 'lost' }

type Ending = { hold: TurnHold; session: { id: number } }

/** One transaction: the turn's end, the session's status, and whatever comes next. Late writes touch nothing. */
export async function endTurn(app: App, ending: Ending, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'lost') return
  await transact(app.db, async (tx) => {
    if (outcome.kind !== 'cut_short') return rest(app, tx, ending, outcome)
    // An agent that has its prompt is told to go on. One that never got it gets it as if for the first time.
    return (await releaseTurn(tx, ending.hold)) ? beginAnew(app, tx, ending) : goOn(app, tx, ending)
  })
}

async function beginAnew(app: App, tx: Transaction, ending: Ending): Promise<void> {
  await waitAgain(app, tx, ending)
  await enqueue(tx, runTurnJob, { turnId: ending.hold.turnId }, { hostId: ending.hold.owner })
}

async function goOn(app: App, tx: Transaction, ending: Ending): Promise<void> {
  const { hold, session } = ending
  if (!(await retireTurn(tx, hold, { outcome: 'interrupted' }))) return
  await waitAgain(app, tx, ending)
  const next = await acceptTurn(tx, { sessionId: session.id, source: 'recovery', prompt: recoveryPrompt, goal: null })
  await updateSession(tx, session.id, { running_job_id: next })
}

/** The session still waits when we died before we could say that its agent was up. */
async function waitAgain(app: App, tx: Transaction, { hold, session }: Ending): Promise<void> {
  const { status } = await lockSession(tx, session)
  if (status === 'waiting') return
  await transition(app, tx, { sessionId: session.id, cause: 'turn_recovered', turnId: hold.turnId })
}

async function rest(
  app: App,
  tx: Transaction,
  { hold, session }: Ending,
  outcome: Extract<Outcome, { kind: 'completed' | 'interrupted' | 'failed' }>,
): Promise<void> {
  const failure = outcome.kind === 'failed' ? { failureReason: outcome.reason, error: outcome.detail } : {}
  if (!(await retireTurn(tx, hold, { outcome: outcome.kind, ...failure }))) return
  const cause = outcome.kind === 'failed' ? 'turn_failed' : 'turn_ended'
  await transition(app, tx, { sessionId: session.id, cause, turnId: hold.turnId })
  if (outcome.kind === 'failed') {
    await updateSession(tx, session.id, { metadata: { failure_reason: outcome.reason, exit_status: outcome.detail } })
  }
  await wakeAdmission(tx, session.id)
}
