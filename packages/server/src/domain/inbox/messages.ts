import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Page } from '@yardmaster/contract/paging'
import type { Transaction } from '../../platform/db/database.ts'
import type { Paged } from '../../platform/db/select-page.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Browser } from '../../platform/http/browser.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { hear, recordHeard } from '../hierarchy/hierarchy.ts'
import { findSession, lockSession } from '../sessions/session.ts'
import {
  deleteMessage,
  findMessage,
  type Message,
  moveMessage,
  selectMessagePage,
  updateMessage,
} from './message-store.ts'

export async function listMessages(
  app: App,
  ref: SessionRef,
  filters: { status?: string | undefined },
  page: Page,
): Promise<Paged<Message>> {
  const { id } = await findSession(app.db, ref)
  return selectMessagePage(app.db, id, filters, page)
}

export async function showMessage(app: App, ref: SessionRef, id: number): Promise<Message> {
  const session = await findSession(app.db, ref)
  return (await findMessage(app.db, session.id, id)) ?? refuseMissing()
}

export async function changeMessage(
  app: App,
  ref: SessionRef,
  id: number,
  changes: { content?: string; goal?: string | null },
  browser?: Browser,
): Promise<Message> {
  const heard = await hear(app, browser, { entryPoint: 'web_ui.enqueued_message', content: changes.content })
  return withPending(app, ref, id, async (tx, { session_id }) => {
    await recordHeard(tx, session_id, heard)
    return updateMessage(tx, id, changes)
  })
}

export async function reorderMessage(app: App, ref: SessionRef, id: number, position: number): Promise<Message> {
  return withPending(app, ref, id, async (tx, message) => ({
    ...message,
    position: await moveMessage(tx, message, position),
  }))
}

/** Accepts a delivered message too: removing it leaves the positions of pending messages unchanged. */
export async function removeMessage(app: App, ref: SessionRef, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    await deleteMessage(tx, (await findMessage(tx, session.id, id)) ?? refuseMissing())
  })
}

type Change = (tx: Transaction, message: Message) => Promise<Message>

async function withPending(app: App, ref: SessionRef, id: number, change: Change): Promise<Message> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    const message = (await findMessage(tx, session.id, id)) ?? refuseMissing()
    if (message.status !== 'pending')
      refuse('message_not_pending', `Message is ${message.status} and cannot be changed`)
    return change(tx, message)
  })
}
