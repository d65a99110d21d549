import type { Notification } from '@yardmaster/contract/notifications/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { notificationsChanged } from './events.ts'
import {
  countUnread,
  deleteAllRead,
  deleteRead,
  selectListed,
  selectNotification,
  updateAllRead,
  updateRead,
  updateReadAbout,
} from './notification-store.ts'
import { presentNotification } from './present.ts'

export async function listNotifications(
  app: App,
  filter: { status?: 'read' | 'unread' | undefined },
  page: Page,
): Promise<{ items: Notification[]; totalCount: number }> {
  const { rows, totalCount } = await selectListed(app.db, filter, page)
  return { items: rows.map(presentNotification), totalCount }
}

export async function showNotification(app: App, id: number): Promise<Notification> {
  return presentNotification((await selectNotification(app.db, id)) ?? refuseMissing())
}

export async function countPending(app: App): Promise<number> {
  return countUnread(app.db)
}

export async function markRead(app: App, id: number): Promise<Notification> {
  return transact(app.db, async (tx) => {
    if (await updateRead(tx, id)) await announceChange(app, tx)
    return presentNotification((await selectNotification(tx, id)) ?? refuseMissing())
  })
}

export async function markAllRead(app: App): Promise<{ count: number; pending: number }> {
  return changeMany(app, updateAllRead)
}

/** A person has looked at the session, in the caller's transaction. Returns how many were unread. */
export async function markReadAbout(app: App, tx: Transaction, sessionId: number): Promise<number> {
  const count = await updateReadAbout(tx, sessionId)
  if (count > 0) await app.events.publish(tx, notificationsChanged, { sessionId, payload: {} })
  return count
}

/** Only what a person has seen can be removed. */
export async function dismiss(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    if (await deleteRead(tx, id)) return announceChange(app, tx)
    if (!(await selectNotification(tx, id))) refuseMissing()
    refuse('cannot_dismiss', 'Cannot dismiss unread notification')
  })
}

export async function dismissAllRead(app: App): Promise<{ count: number; pending: number }> {
  return changeMany(app, deleteAllRead)
}

async function changeMany(
  app: App,
  change: (tx: Transaction) => Promise<number>,
): Promise<{ count: number; pending: number }> {
  return transact(app.db, async (tx) => {
    const count = await change(tx)
    if (count > 0) await announceChange(app, tx)
    return { count, pending: await countUnread(tx) }
  })
}

async function announceChange(app: App, tx: Transaction): Promise<void> {
  await app.events.publish(tx, notificationsChanged, { payload: {} })
}
