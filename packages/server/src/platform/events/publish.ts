import type { Database, Transaction } from '../db/database.ts'
import { afterCommit, databaseOf } from '../db/transact.ts'
import type { EventKind } from './event.ts'
import { insertEvent } from './outbox-store.ts'

/** What a host does about the events of the transactions on its database. */
export type Relay = {
  /** Events were committed. */
  announce(): void
  broadcast(event: TransientEvent): void
}

/** An event that is passed on and not stored: it may be lost, and a reader that was away does not get it. */
export type TransientEvent = {
  name: string
  session_id: number
  payload: object
  /** Events of one name, session and subject that wait to be sent become one. */
  subject: string
  merge(earlier: object, later: object): object
}

const relays = new WeakMap<Database, Relay>()

export function connectRelay(db: Database, relay: Relay): void {
  relays.set(db, relay)
}

/**
 * Writes the event in the caller's transaction: it exists if and only if that commits. Where no relay is connected, the next
 * tick of one finds the event.
 */
export async function publish<Payload>(
  tx: Transaction,
  kind: EventKind<Payload>,
  { sessionId, payload }: { sessionId?: number; payload: Payload },
): Promise<void> {
  await insertEvent(tx, { name: kind.name, session_id: sessionId ?? null, payload: kind.payload.parse(payload) })
  afterCommit(tx, () => relays.get(databaseOf(tx))?.announce())
}

/** Passes a transient event on after the commit. */
export function broadcast<Payload extends object>(
  tx: Transaction,
  kind: EventKind<Payload>,
  {
    sessionId,
    payload,
    subject,
    merge,
  }: { sessionId: number; payload: Payload; subject: string; merge(earlier: Payload, later: Payload): Payload },
): void {
  const event: TransientEvent = {
    name: kind.name,
    session_id: sessionId,
    payload: kind.payload.parse(payload),
    subject,
    merge: (earlier, later) => merge(earlier as Payload, later as Payload), // both are payloads of this kind
  }
  afterCommit(tx, () => relays.get(databaseOf(tx))?.broadcast(event))
}
