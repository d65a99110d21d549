import type { SessionStatus } from '@yardmaster/contract/session'
import { sql } from 'kysely'
import type { Transaction } from '../../../platform/db/database.ts'
import { refuse, refuseMissing } from '../../../platform/refusal.ts'
import type { App } from '../../app.ts'
import { sessionStatusChanged } from '../events.ts'
import { selectSessionForUpdate } from '../session-store.ts'
import { findTransition, type TransitionCause } from './transitions.ts'

/** Statuses in which nothing of the session runs or is handed over. */
const resting: readonly SessionStatus[] = ['needs_input', 'failed', 'archived']

/** The only writer of `status`: it locks the row, finds the rule, keeps the history and tells the world. */
export async function transition(
  app: App,
  tx: Transaction,
  { sessionId, cause, turnId }: { sessionId: number; cause: TransitionCause; turnId?: string },
): Promise<void> {
  const session = (await selectSessionForUpdate(tx, { id: sessionId })) ?? refuseMissing()
  const to = findTransition(cause, session.status)
  if (!to) refuse('invalid_transition', `Session ${sessionId} is ${session.status}; ${cause} does not apply`)
  await tx
    .updateTable('sessions')
    .set({ status: to, updated_at: sql<Date>`now()`, ...(resting.includes(to) && { running_job_id: null }) })
    .where('id', '=', sessionId)
    .execute()
  await tx
    .insertInto('session_transitions')
    .values({ session_id: sessionId, cause, from_status: session.status, to_status: to, turn_id: turnId ?? null })
    .execute()
  await app.events.publish(tx, sessionStatusChanged, { sessionId, payload: { cause, from: session.status, to } })
}
