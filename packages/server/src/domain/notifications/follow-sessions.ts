import type { NotificationType } from '@yardmaster/contract/notifications/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type App, defineSubscription } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { readMetadata, type SessionRow, selectLastTransition, selectSessionForReference } from '../sessions/session.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { notificationsChanged } from './events.ts'
import { selectLastResumeSource, updateStale } from './notification-store.ts'
import { notify } from './notify.ts'

/** A session that rests for less may only be between two prompts. */
const settleMs = 60_000

/** True only while the session is as it was. A question is not among them: it stays until it is closed. */
const aboutState: readonly NotificationType[] = ['needs_input', 'session_failed']
const all: readonly NotificationType[] = [...aboutState, 'custom_message', 'session_complete']

/** Every change of a session's state is seen once, over any restart. */
export const followSessions = defineSubscription({
  name: 'notifications.session_events',
  queue: 'default',
  startsAt: 'now',
  to: [sessionStatusChanged],
  handle: async (app, tx, { sessionId, position, createdAt, payload: { cause, from, to } }) => {
    const session = sessionId === null ? undefined : await selectSessionForReference(tx, { id: sessionId })
    if (!session || session.summary_of_session_id !== null) return
    const hasMovedOn = to === 'archived' || ((from === 'needs_input' || from === 'failed') && from !== to)
    if (hasMovedOn) await retire(app, tx, session, { cause, position, createdAt })
    if (to === 'failed') await announceFailure(app, tx, session, position)
    // A person who paused a session or brought it back knows that it rests.
    if (cause === 'turn_ended') await announceRestLater(tx, session, position)
  },
})

type Moment = { cause: string; position: number; createdAt: Date }

/** What was true of the session no longer is. What was said about it stays until a person acts on the session. */
async function retire(app: App, tx: Transaction, { id }: SessionRow, { cause, ...before }: Moment): Promise<void> {
  const isByPerson =
    cause === 'archive' || (cause === 'resume' && (await selectLastResumeSource(tx, id)) === 'follow_up')
  const count = await updateStale(tx, id, { types: isByPerson ? all : aboutState, before })
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

async function announceRestLater(tx: Transaction, { id }: SessionRow, position: number): Promise<void> {
  const last = await selectLastTransition(tx, id)
  if (last?.to_status !== 'needs_input') return
  await enqueue(tx, announceRestJob, { sessionId: id, transitionId: last.id, position }, { delayMs: settleMs })
}
