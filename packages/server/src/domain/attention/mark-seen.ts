import type { SeenSession } from '@yardmaster/contract/attention/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { isNeeding } from '../board/board.ts'
import { markReadAbout } from '../notifications/notification.ts'
import { selectLastTransition, selectSessionForReference } from '../sessions/session.ts'
import { sessionSeen } from './events.ts'
import { recordView } from './view-store.ts'

/**
 * Records a state by its number and not by the time: a change that commits while a person looks at the state before it must
 * not count as seen. Numbers of one session grow in the order in which its changes commit.
 */
export async function markSeen(app: App, ref: SessionRef, transitionId?: number): Promise<SeenSession> {
  return transact(app.db, async (tx) => {
    const { id } = (await selectSessionForReference(tx, ref)) ?? refuseMissing()
    const last = await selectLastTransition(tx, id)
    const seen = Math.min(transitionId ?? Number.MAX_SAFE_INTEGER, last?.id ?? 0)
    if (await recordView(tx, id, seen))
      await app.events.publish(tx, sessionSeen, { sessionId: id, payload: { transition_id: seen } })
    const isCurrent = seen === (last?.id ?? 0)
    const notificationsRead = isCurrent ? await markReadAbout(app, tx, id) : 0
    return { session_id: id, needs_you: await isNeeding(tx, id), notifications_read: notificationsRead }
  })
}
