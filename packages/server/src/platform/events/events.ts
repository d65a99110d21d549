import type { Database, Transaction } from '../db/database.ts'
import { afterCommit } from '../db/transact.ts'
import type { Log } from '../log/log.ts'
import type { EventKind, PlacedEvent } from './event.ts'
import { type EventCursor, findEventsAfter, insertEvent, lastPosition, placeEvents } from './outbox-store.ts'
import type { Signals } from './signals.ts'

export type Events = {
  /** Written in the transaction of what it reports: it happened if and only if that commits. */
  publish<Payload>(
    tx: Transaction,
    kind: EventKind<Payload>,
    about: { sessionId?: number; payload: Payload },
  ): Promise<void>
  /**
   * Is told what is placed from now on, in order, until it stops or we do; perhaps also, at first, of something placed
   * a moment before. Returns how to stop.
   */
  follow(follower: Follower): () => void
  /** Events after the cursor's position, oldest first, at most `limit`. */
  read(cursor: EventCursor, limit: number): Promise<PlacedEvent[]>
  /** Where things stand: everything committed before now is at or below it, everything later above. */
  lastPosition(): Promise<number>
  close(): void
}

export type Follower = { onEvents(events: readonly PlacedEvent[]): void; onClosed(): void }

const topic = 'events'

/** Catches announcements that were lost; everything else is heard at once. */
const tickMs = 5000
const batchSize = 500

/**
 * The relay of one host: places what was committed, reads it once and hands it to everybody who follows. Any host may
 * place; a lock in the database lets one do it at a time, which makes positions appear in order.
 */
export async function openEvents({ db, signals, log }: { db: Database; signals: Signals; log: Log }): Promise<Events> {
  const followers = new Set<Follower>()
  let seen = await lastPosition(db)
  let isAdvancing = false
  let isAskedAgain = false
  let isClosed = false

  const advance = async (): Promise<void> => {
    await placeEvents(db)
    if (followers.size === 0) {
      const last = await lastPosition(db)
      // Whoever began to follow during that query may have missed what it saw, so it is read and told after all.
      if (followers.size === 0) {
        seen = last
        return
      }
    }
    for (;;) {
      const events = await findEventsAfter(db, { position: seen }, batchSize)
      const last = events.at(-1)
      if (!last) return
      seen = last.position
      for (const follower of followers) follower.onEvents(events)
    }
  }
  const advanceSoon = async (): Promise<void> => {
    isAskedAgain = true
    if (isAdvancing || isClosed) return
    isAdvancing = true
    try {
      while (isAskedAgain && !isClosed) {
        isAskedAgain = false
        await advance()
      }
    } catch (error) {
      log.debug({ reason: String(error) }, 'events could not be relayed now; the next tick tries again')
    } finally {
      isAdvancing = false
    }
  }

  const stopListening = signals.listen(topic, () => void advanceSoon())
  const ticks = setInterval(() => void advanceSoon(), tickMs)
  ticks.unref()

  return {
    publish: async (tx, kind, { sessionId, payload }) => {
      await insertEvent(tx, { name: kind.name, session_id: sessionId ?? null, payload: kind.payload.parse(payload) })
      afterCommit(tx, () => void signals.announce(topic).catch(() => advanceSoon()))
    },
    follow: (follower) => {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    read: (cursor, limit) => findEventsAfter(db, cursor, limit),
    lastPosition: async () => {
      await placeEvents(db)
      return lastPosition(db)
    },
    close: () => {
      isClosed = true
      stopListening()
      clearInterval(ticks)
      for (const follower of followers) follower.onClosed()
      followers.clear()
    },
  }
}
