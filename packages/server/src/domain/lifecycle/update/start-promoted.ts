import type { StartAttempt } from '@yardmaster/contract/lifecycle/session-changes'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../../platform/db/database.ts'
import type { App } from '../../app.ts'
import { acceptTurn, findLastTurn, findNextWake, findStanding, wakeAdmission } from '../../inbox/inbox.ts'
import { note } from '../../logs/log.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { clearHold } from '../../sessions/session.ts'
import { resume } from '../resume.ts'

/** Starts a waiting session that was promoted to priority without waiting for a slot. Undefined if nothing can start. */
export async function startPromoted(app: App, tx: Transaction, session: SessionRow): Promise<StartAttempt | undefined> {
  const { underway, hasQueued } = await findStanding(tx, session.id)
  if (underway || hasQueued) {
    await clearHold(tx, session.id)
    await wakeAdmission(tx, session.id)
    await note(app, tx, session.id, 'Promoted to priority: the queued turn starts without waiting for a slot.')
    return {
      outcome: 'started',
      message: `Session ${session.id}'s next turn is due now: its queued turn starts without waiting for a slot.`,
    }
  }
  const wake = await findNextWake(tx, session.id)
  if (wake) {
    const when = wake.at ? ` until ${formatTimestamp(wake.at)}` : ''
    return { outcome: 'refused', message: `Session ${session.id} sleeps${when}, and a pause outranks the queue.` }
  }
  if (session.prompt === null || (await findLastTurn(tx, session.id))) return undefined
  const turnId = await acceptTurn(tx, { sessionId: session.id, source: 'create', prompt: session.prompt, goal: null })
  await resume(app, tx, session, turnId, { job_id: turnId })
  await note(app, tx, session.id, 'Promoted to priority: the first turn is queued.')
  return { outcome: 'started', message: `Session ${session.id}'s first turn was queued.` }
}
