import { limits } from '@yardmaster/contract/limits'
import type { NotificationType } from '@yardmaster/contract/notifications/fields'
import { takeLockOfText } from '../../platform/db/advisory-locks.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import type { SessionRow } from '../sessions/session.ts'
import { notificationCreated } from './events.ts'
import { countRecent, hasSameContent, insertNotification } from './notification-store.ts'
import { enqueuePushes } from './send-push-job.ts'

export type Announcement = {
  session: Pick<SessionRow, 'id' | 'title'>
  type: NotificationType
  body: string
  /** What it is made for. A second attempt for the same marker makes nothing. Without one, the content decides. */
  marker?: string
  /** The event that it is made for. */
  position?: number
  /** Refuses one more about the session than this within an hour. Only without a marker. */
  hourlyLimit?: number
}

const repeatedWithinSeconds = 15 * 60

/** Characters of the body. */
const maxBody: Record<NotificationType, number> = {
  session_complete: 200,
  needs_input: 150,
  session_failed: 200,
  elicitation_pending: 150,
  custom_message: limits.notificationMessage,
  budget_warning: 250,
  budget_exhausted: 250,
  account_needs_reauth: 250,
}

/** Makes a notification and its pushes in the caller's transaction. False if it was made before. */
export async function notify(app: App, tx: Transaction, announcement: Announcement): Promise<boolean> {
  const { session, type, marker, position } = announcement
  // Redact before truncating: a truncated secret no longer matches its pattern.
  const redacted = app.redactor.excerpt(announcement.body)
  const body = truncate(redacted.replace(/\s+/g, ' ').trim(), maxBody[type])
  if (marker === undefined) {
    await takeLockOfText(tx, `notifications:${session.id}:${type}`)
    if (await hasSameContent(tx, { sessionId: session.id, type, body }, repeatedWithinSeconds)) return false
    await refuseBeyond(announcement.hourlyLimit, tx, { sessionId: session.id, type })
  }
  const id = await insertNotification(tx, {
    session_id: session.id,
    notification_type: type,
    title: session.title ?? `Session ${session.id}`,
    body,
    marker: marker ?? null,
    position: position ?? null,
  })
  if (id === undefined) return false
  await enqueuePushes(tx, { notificationId: id, sessionId: session.id, serverKey: app.push.publicKey })
  await app.events.publish(tx, notificationCreated, {
    sessionId: session.id,
    payload: { notification_id: id, notification_type: type },
  })
  return true
}

/** Under the lock of the session and type, so that concurrent callers are all counted. */
async function refuseBeyond(
  limit: number | undefined,
  tx: Transaction,
  about: { sessionId: number; type: NotificationType },
): Promise<void> {
  if (limit === undefined || (await countRecent(tx, about, 3600)) < limit) return
  refuse(
    'too_many_notifications',
    `People were told ${limit} things about this session within an hour; tell them more later, in one message`,
  )
}
