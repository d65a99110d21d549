import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { notificationsChanged } from './events.ts'
import { updateStaleMessages } from './notification-store.ts'

/** A person has acted on the session, in the caller's transaction: they know what was said about it until now. */
export async function acknowledge(app: App, tx: Transaction, sessionId: number): Promise<void> {
  const count = await updateStaleMessages(tx, sessionId)
  if (count > 0) await app.events.publish(tx, notificationsChanged, { sessionId, payload: {} })
}
