import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type App, defineSubscription } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { readMetadata, type SessionRow, selectLastTransition, selectSessionForReference } from '../sessions/session.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { notificationsChanged } from './events.ts'
import { updateStale } from './notification-store.ts'
import { notify } from './notify.ts'

/** A session that rests for less may only be between two prompts. */
const settleMs = 60_000

/** Every change of a session's state is seen once, over any restart. */
export const followSessions = defineSubscription({
  name: 'notifications.session_events',
  queue: 'default',
  startsAt: 'now',
  to: [sessionStatusChanged],
  handle: async (app, tx, { sessionId, position, payload: { cause, from, to, transition_id: transitionId } }) => {
    const session = sessionId === null ? undefined : await selectSessionForReference(tx, { id: sessionId })
    if (!session || session.summary_of_session_id !== null) return
    const hasMovedOn = to === 'archived' || ((from === 'needs_input' || from === 'failed') && from !== to)
    if (hasMovedOn) await retire(app, tx, session, position)
    const last = await selectLastTransition(tx, session.id)
    // The session has moved on since: the row no longer tells about this event, and a later event is to come.
    if (!last || last.id !== (transitionId ?? last.id) || last.to_status !== to) return
    if (to === 'failed') await announceFailure(app, tx, session, position)
    // A person who paused a session or brought it back knows that it rests.
    if (cause === 'turn_ended')
      await enqueue(
        tx,
        announceRestJob,
        { sessionId: session.id, transitionId: last.id, position },
        { delayMs: settleMs },
      )
  },
})

/** What was true of the session no longer is. What was said about it stays until a person acts on the session. */
async function retire(app: App, tx: Transaction, { id }: SessionRow, position: number): Promise<void> {
  const count = await updateStale(tx, id, { position })
  if (count > 0) await app.events.publish(tx, notificationsChanged, { sessionId: id, payload: {} })
}

async function announceFailure(app: App, tx: Transaction, session: SessionRow, position: number): Promise<void> {
  const { failure_reason: reason, exit_status: detail } = readMetadata(session)
  const body = [reason?.replaceAll('_', ' '), detail].filter(Boolean).join(': ')
  await notify(app, tx, {
    session,
    type: 'session_failed',
    body: body || 'The session failed',
    marker: `event:${position}`,
    position,
  })
}
