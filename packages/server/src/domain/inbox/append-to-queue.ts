import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import { insertMessages, type Message, type NewMessage } from './message-store.ts'

/** Puts messages behind those that wait already, in the given order. */
export async function lineUp(
  app: App,
  tx: Transaction,
  session: SessionRow,
  messages: readonly NewMessage[],
): Promise<Message[]> {
  const queued = await insertMessages(tx, session.id, messages)
  const [first, last] = [queued.at(0), queued.at(-1)]
  if (first && last) await note(app, tx, session.id, linedUpText(first, last))
  return queued
}

function linedUpText(first: Message, last: Message): string {
  if (first === last) return `A message was queued at position ${first.position}.`
  return `Messages were queued at positions ${first.position} to ${last.position}.`
}
