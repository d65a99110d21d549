import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { acceptTurn, markByPerson, takeFirstMessage } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { clearBudgetStop, type SessionRow, type TransitionChanges, transition } from '../sessions/session.ts'

/** Moves the session to `waiting` for its next turn and clears why it was at rest. The caller holds its row lock. */
export async function resume(
  app: App,
  tx: Transaction,
  session: SessionRow,
  turnId: string,
  changes: TransitionChanges = {},
): Promise<void> {
  await transition(app, tx, {
    sessionId: session.id,
    cause: 'resume',
    turnId,
    // A turn that is already next stays next.
    with: { running_job_id: session.running_job_id ?? turnId, ...changes },
  })
}

/** A person prompts, restarts or promotes the session: a spent budget holds what is queued no longer, if the session is a priority one. */
export async function takeCharge(tx: Transaction, sessionId: number): Promise<void> {
  await markByPerson(tx, sessionId)
  await clearBudgetStop(tx, sessionId)
}

/** Makes the first pending message the session's next turn. Undefined when nothing is pending. */
export async function acceptNextMessage(
  app: App,
  tx: Transaction,
  session: SessionRow,
): Promise<{ turnId: string; goal?: string } | undefined> {
  const message = await takeFirstMessage(tx, session.id)
  if (!message) return undefined
  const turnId = await acceptTurn(tx, {
    sessionId: session.id,
    source: 'queued_message',
    prompt: message.content,
    goal: message.goal,
    messageId: message.id,
    triggerId: message.trigger_id,
    isByPerson: message.is_by_person,
    traceparent: message.traceparent,
  })
  await note(app, tx, session.id, `The queued message ${message.id} is delivered as the next turn.`)
  return { turnId, ...changedGoal(session, message.goal) }
}

/** A blank goal does not change the session's goal. */
export function changedGoal(session: Pick<SessionRow, 'goal'>, goal: string | null): { goal?: string } {
  return goal === null || goal === '' || goal === session.goal ? {} : { goal }
}
