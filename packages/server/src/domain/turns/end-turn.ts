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
import { transition, updateSession } from '../sessions/session.ts'
import { recoveryPrompt } from './recovery-prompt.ts'
import { runTurnJob } from './run-turn-job.ts'

/** Everything that can become of a turn somebody took. */
export type Outcome =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; reason: FailureReason; detail: string }
  /** We stopped or died before the agent was up: the turn is as good as new. */
  | { kind: 'not_begun' }
  /** We stopped or died while the agent worked: the next turn tells it to go on. */
  | { kind: 'cut_short' }
  /** The turn is no longer ours; whoever has it writes its end. */
  | { kind: 'lost' }

type Ending = { hold: TurnHold; session: { id: number } }

/** One transaction: the turn's end, the session's status, and whatever comes next. Late writes touch nothing. */
export async function endTurn(app: App, ending: Ending, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'lost') return
  await transact(app.db, async (tx) => {
    if (outcome.kind === 'not_begun') return handBack(tx, ending)
    if (outcome.kind === 'cut_short') return continueLater(app, tx, ending)
    return rest(app, tx, ending, outcome)
  })
}

async function handBack(tx: Transaction, { hold }: Ending): Promise<void> {
  if (await releaseTurn(tx, hold)) await enqueue(tx, runTurnJob, { turnId: hold.turnId }, { hostId: hold.owner })
}

async function continueLater(app: App, tx: Transaction, { hold, session }: Ending): Promise<void> {
  if (!(await retireTurn(tx, hold, { outcome: 'interrupted' }))) return
  await transition(app, tx, { sessionId: session.id, cause: 'turn_recovered', turnId: hold.turnId })
  const next = await acceptTurn(tx, { sessionId: session.id, source: 'recovery', prompt: recoveryPrompt, goal: null })
  await updateSession(tx, session.id, { running_job_id: next })
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
