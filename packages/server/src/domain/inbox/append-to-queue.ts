import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import { insertMessages, type Message, type NewMessage } from './message-store.ts'

/** Appends messages to the session's queue, in the given order, and notes it in the session's log. */
export async function appendToQueue(
  app: App,
  tx: Transaction,
  session: SessionRow,
  messages: readonly NewMessage[],
): Promise<Message[]> {
  const queued = await insertMessages(tx, session.id, messages)
  const [first, last] = [queued.at(0), queued.at(-1)]
  if (first && last) await note(app, tx, session.id, queuedText(first, last))
  return queued
}

function queuedText(first: Message, last: Message): string {
  if (first === last) return `A message was queued at position ${first.position}.`
  return `Messages were queued at positions ${first.position} to ${last.position}.`
}
