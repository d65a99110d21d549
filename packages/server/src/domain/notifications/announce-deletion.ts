import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { notificationsChanged } from './events.ts'
import { hasListed } from './notification-store.ts'

/** The session is about to be deleted, and its notifications with it. */
export async function announceDeletion(app: App, tx: Transaction, sessionId: number): Promise<void> {
  if (await hasListed(tx, sessionId)) await app.events.publish(tx, notificationsChanged, { sessionId, payload: {} })
}
