import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  deleteMessage,
  findMessage,
  findStanding,
  type Message,
  moveMessage,
  queueMessage,
  updateMessage,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSession } from '../sessions/session.ts'
import { deliverFirst } from './speak.ts'

/** Queues a message. A session at rest takes the first of its queue at once; a failed one keeps it until it is restarted. */
export async function enqueueMessage(
  app: App,
  ref: SessionRef,
  saying: { content: string; goal: string | null },
): Promise<Message> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    if (session.status === 'archived') refuse('cannot_follow_up', 'Session is archived. Unarchive it first.')
    const message = await queueMessage(tx, { sessionId: session.id, ...saying })
    await note(app, tx, session.id, `A message was queued at position ${message.position}.`)
    const { underway, hasQueued } = await findStanding(tx, session.id)
    const isAtRest = session.status === 'needs_input' || (session.status === 'waiting' && !hasQueued)
    if (isAtRest && !underway) await deliverFirst(app, tx, session)
    return (await findMessage(tx, session.id, message.id)) ?? message
  })
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

/** A delivered row may be removed too: it is history, and renumbers nobody. */
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
    if (message.status !== 'pending') refuse('message_taken', `Message is ${message.status} and cannot be changed`)
    return change(tx, message)
  })
}
