import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { sessionStatusChanged } from './events.ts'
import type { SessionMetadata } from './metadata.ts'
import { insertTransition, selectSessionForUpdate, updateSession } from './session-store.ts'
import type { SessionRow } from './session-table.ts'
import { findTransition, type TransitionCause } from './transitions.ts'

/** Statuses in which no turn of the session is live or next. */
const resting: readonly SessionStatus[] = ['needs_input', 'failed', 'archived']

type Move = {
  sessionId: number
  cause: TransitionCause
  turnId?: string
  /** What changes together with the status, in the same statement. */
  with?: TransitionChanges
}

export type TransitionChanges = Partial<
  Pick<SessionRow, 'job_id' | 'running_job_id' | 'prompt' | 'goal' | 'trash_after'>
> & { metadata?: SessionMetadata }

/** The only writer of `status`: locks the row, finds the rule, records the history and publishes the event. */
export async function transition(app: App, tx: Transaction, move: Move): Promise<void> {
  const status = await tryTransition(app, tx, move)
  if (status) refuse('invalid_transition', `Session ${move.sessionId} is ${status}; ${move.cause} does not apply`)
}

/**
 * As `transition`, for what has happened and cannot be refused, such as the end of a turn. False if the cause does not
 * apply to the session's status, which then stays.
 */
export async function transitionIfItApplies(app: App, tx: Transaction, move: Move): Promise<boolean> {
  return (await tryTransition(app, tx, move)) === undefined
}

/** The session's status if the cause does not apply to it. */
async function tryTransition(
  app: App,
  tx: Transaction,
  { sessionId, cause, turnId, with: changes }: Move,
): Promise<SessionStatus | undefined> {
  const session = (await selectSessionForUpdate(tx, { id: sessionId })) ?? refuseMissing()
  const rule = findTransition(cause, session.status)
  if (!rule) return session.status
  const { to, clears = [] } = rule
  await updateSession(
    tx,
    sessionId,
    {
      archived_at: to === 'archived' ? app.clock.now() : null,
      ...(resting.includes(to) && { running_job_id: null }),
      forget: clears,
      ...changes,
    },
    to,
  )
  const transitionId = await insertTransition(tx, {
    session_id: sessionId,
    cause,
    from_status: session.status,
    to_status: to,
    turn_id: turnId ?? null,
  })
  await app.events.publish(tx, sessionStatusChanged, {
    sessionId,
    payload: { cause, from: session.status, to, transition_id: transitionId },
  })
  return undefined
}
