import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { afterCommit, transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import {
  clearLostElicitation,
  lockSession,
  lockSessionIfThere,
  readMetadata,
  recordLostElicitation,
  type SessionRow,
  transitionIfItApplies,
} from '../sessions/session.ts'
import { type Closing, closeElicitation, countPending } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { elicitationResolved } from './events.ts'
import { summaryOf } from './summary.ts'

/**
 * Ends a pending question. Undefined if it was not pending any more: of two who end it, one does. When it was the last pending
 * one, a session that waited for it runs on. The caller holds the session's lock.
 */
export async function close(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { id, closing }: { id: number; closing: Closing },
): Promise<ElicitationRow | undefined> {
  const row = await closeElicitation(tx, id, closing)
  if (!row) return undefined
  const payload = { elicitation_id: id, request_id: row.request_id, status: closing.status }
  await app.events.publish(tx, elicitationResolved, { sessionId: session.id, payload })
  afterCommit(tx, () => app.questions.forget(session.id))
  if ((await countPending(tx, session.id)) > 0) return row
  await release(app, tx, session, closing.lostReason && lostMark(app, row, closing.lostReason))
  return row
}

export type LostMark = NonNullable<ReturnType<typeof readMetadata>['lost_elicitation']>

export function lostMark(app: App, row: ElicitationRow, reason: LostMark['reason']): LostMark {
  return { reason, at: formatTimestamp(app.clock.now()), request_id: row.request_id, summary: summaryOf(row) }
}

/** The session does not wait for a person any more. `lost`: what it did not learn. */
export async function release(app: App, tx: Transaction, { id }: SessionRow, lost?: LostMark): Promise<void> {
  // Read again: it may have changed in this transaction.
  const session = await lockSession(tx, { id })
  const isReleased =
    readMetadata(session).blocked_on_elicitation === true &&
    (await transitionIfItApplies(app, tx, {
      sessionId: id,
      cause: 'elicitation_answered',
      with: { metadata: lost ? { lost_elicitation: lost } : {} },
    }))
  if (isReleased || session.status === 'archived' || session.status === 'failed') return
  if (lost) await recordLostElicitation(tx, id, lost)
  else await clearLostElicitation(tx, id)
}

/** No person answered in time, or its asker went away. Harmless if it is no longer pending. */
export async function expire(app: App, id: number, sessionId: number, reason: LostMark['reason']): Promise<void> {
  await transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id: sessionId })
    if (!session) return
    const row = await close(app, tx, session, { id, closing: { status: 'expired', lostReason: reason } })
    if (row) await note(app, tx, session.id, expiredText(row, reason), 'warning')
  })
}

function expiredText(row: ElicitationRow, reason: LostMark['reason']): string {
  const why =
    reason === 'expired' ? 'No person answered in time' : 'The program that asked no longer waits for an answer'
  return `${why}, so this counts as declined: ${summaryOf(row)}`
}
