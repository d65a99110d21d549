import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { lockSession, readMetadata, type SessionRow } from '../sessions/session.ts'
import { close, lostMark, release } from './close.ts'
import { type Closing, selectPending, selectUnsettled, withdrawn } from './elicitation-store.ts'
import { summaryOf } from './summary.ts'
import { revokeToken } from './token.ts'

/**
 * No process of the run is left, so no one waits for its questions any more. They are withdrawn if a request ended the turn;
 * otherwise they are lost, and the session says so, also about an answer that did not reach the agent. Returns the session as it
 * is then: one that needed input only for its questions is running, so that its turn ends like any other. The caller holds
 * the session's lock.
 */
export async function settleRun(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { marker, isWithdrawn }: { marker: string; isWithdrawn: boolean },
): Promise<SessionRow> {
  await revokeToken(app, tx, { sessionId: session.id, marker })
  const unsettled = await selectUnsettled(tx, marker)
  const closing: Closing = isWithdrawn ? withdrawn : { status: 'expired', lostReason: 'stranded' }
  for (const row of unsettled) {
    const isPending = row.status === 'pending'
    if (isPending) await close(app, tx, session, { id: row.id, closing })
    const happened = isPending ? 'The agent stopped before a person answered' : 'The answer did not reach the agent'
    if (!isPending || !isWithdrawn) await note(app, tx, session.id, `${happened}: ${summaryOf(row)}`, 'warning')
  }
  const lost = unsettled.findLast(({ status }) => status !== 'pending' || !isWithdrawn)
  // A question that a caller asked may still be pending, but no agent waits for it.
  if (!lost && !readMetadata(session).blocked_on_elicitation) return session
  await release(app, tx, session, lost && lostMark(app, lost, 'stranded'))
  return lockSession(tx, session)
}

/** The session is archived: no one is asked in its name any more. */
export async function withdrawQuestions(app: App, tx: Transaction, session: SessionRow): Promise<void> {
  await revokeToken(app, tx, { sessionId: session.id })
  for (const { id } of await selectPending(tx, session.id)) await close(app, tx, session, { id, closing: withdrawn })
}
