import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Page } from '@yardmaster/contract/paging'
import type { Transaction } from '../../platform/db/database.ts'
import type { Paged } from '../../platform/db/select-page.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { recordUncle } from '../hierarchy/hierarchy.ts'
import { findSession, lockSession } from '../sessions/session.ts'
import { appendToQueue } from './append-to-queue.ts'
import {
  deleteMessage,
  findMessage,
  type Message,
  moveMessage,
  type NewMessage,
  selectMessagePage,
  updateMessage,
} from './message-store.ts'
import { isAtRest, scheduleDrain } from './schedule-drain.ts'

/** Queues a message. A session at rest gets it after a grace period; a failed session gets it after a restart. */
export async function enqueueMessage(app: App, ref: SessionRef, message: MessageRequest): Promise<Message> {
  return app.batcher.submit(`enqueue:${JSON.stringify(ref)}`, message, (messages) => enqueueAll(app, ref, messages))
}

type MessageRequest = NewMessage & {
  /** The session that sends the message, as it says itself. */
  actingSessionId?: number | undefined
}

async function enqueueAll(app: App, ref: SessionRef, requests: readonly MessageRequest[]): Promise<Message[]> {
  const messages = requests.map(({ actingSessionId: _, ...message }) => message)
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    if (session.status === 'archived') refuse('cannot_follow_up', 'Session is archived. Unarchive it first.')
    const queued = await appendToQueue(app, tx, session, messages)
    for (const actingSessionId of new Set(requests.map((request) => request.actingSessionId))) {
      await recordUncle(tx, { sessionId: session.id, actingSessionId, source: 'api_v1:enqueued_messages.create' })
    }
    if (await isAtRest(tx, session)) await scheduleDrain(tx, session)
    return queued
  })
}

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
): Promise<Message> {
  return withPending(app, ref, id, (tx) => updateMessage(tx, id, changes))
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
