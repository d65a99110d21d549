import type { SessionStatus } from '@yardmaster/contract/session'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { sessionStatusChanged } from './events.ts'
import { type ColumnChanges, insertTransition, selectSessionForUpdate, updateSession } from './session-store.ts'
import { findTransition, type TransitionCause } from './transitions.ts'

/** Statuses in which nothing of the session runs or is handed over. */
const resting: readonly SessionStatus[] = ['needs_input', 'failed', 'archived']

type Move = {
  sessionId: number
  cause: TransitionCause
  turnId?: string
  /** Columns and metadata that change with the status, in the same statement. */
  with?: ColumnChanges
}

/** The only writer of `status`: it locks the row, finds the rule, keeps the history and tells the world. */
export async function transition(
  app: App,
  tx: Transaction,
  { sessionId, cause, turnId, with: changes }: Move,
): Promise<void> {
  const session = (await selectSessionForUpdate(tx, { id: sessionId })) ?? refuseMissing()
  const to = findTransition(cause, session.status)
  if (!to) refuse('invalid_transition', `Session ${sessionId} is ${session.status}; ${cause} does not apply`)
  const archived_at = to === 'archived' ? app.clock.now() : null
  await updateSession(
    tx,
    sessionId,
    { archived_at, ...(resting.includes(to) && { running_job_id: null }), ...changes },
    to,
  )
  await insertTransition(tx, {
    session_id: sessionId,
    cause,
    from_status: session.status,
    to_status: to,
    turn_id: turnId ?? null,
  })
  await app.events.publish(tx, sessionStatusChanged, { sessionId, payload: { cause, from: session.status, to } })
}
