import type { Database, Transaction } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { bindWork } from '../log/work-context.ts'
import { openBroadcasts, type ReceivedEvent } from './broadcasts.ts'
import type { EventKind, PlacedEvent } from './event.ts'
import { type EventCursor, findEventsAfter, lastPosition, placeEvents, selectRetention } from './outbox-store.ts'
import { connectRelay, publish } from './publish.ts'
import type { Signals } from './signals.ts'

export type Events = {
  /** Writes the event in the caller's transaction: it exists if and only if that commits. */
  publish<Payload>(
    tx: Transaction,
    kind: EventKind<Payload>,
    about: { sessionId?: number; payload: Payload },
  ): Promise<void>
  /**
   * Calls the follower with new events in order, until it stops or this host closes. The first call may include events from
   * just before. Returns a function that stops it.
   */
  follow(follower: Follower): () => void
  /** Events after the cursor's position, oldest first, at most `limit`. */
  read(cursor: EventCursor, limit: number): Promise<PlacedEvent[]>
  /** How far old events were deleted. */
  retention(): Promise<{ prunedThrough: number; now: Date }>
  /** The current position: events committed before now are at or below it, later ones above. */
  lastPosition(): Promise<number>
  /** What this host has relayed so far, without a query. Events committed just before may be above it. */
  relayedPosition(): number
  close(): void
}

export type Follower = {
  onEvents(events: readonly PlacedEvent[]): void
  /** Of all hosts. Some may be missing, and their order among the others is not defined. */
  onTransient?(events: readonly ReceivedEvent[]): void
  onClosed(): void
}

const topic = 'events'

/** Catches up after a lost notification. */
const tickMs = 5000
const batchSize = 500

/**
 * The relay of one host: gives committed events their positions, reads each once and hands it to all followers. Any host
 * may assign positions; a database lock lets one host do it at a time, so positions become visible in order.
 */
export async function openEvents({ db, signals, log }: { db: Database; signals: Signals; log: Log }): Promise<Events> {
  const followers = new Set<Follower>()
  let seen = await lastPosition(db)
  let isAdvancing = false
  let isRequestedAgain = false
  let isClosed = false

  const advance = async (): Promise<void> => {
    await placeEvents(db)
    if (followers.size === 0) {
      const last = await lastPosition(db)
      // A follower that joined during that query would miss those events, so they are read and delivered.
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
  const failureLevel = retryLevel()
  // A request that announces an event may start it, and it relays the events of all.
  const advanceSoon = bindWork(async (): Promise<void> => {
    isRequestedAgain = true
    if (isAdvancing || isClosed) return
    isAdvancing = true
    try {
      while (isRequestedAgain && !isClosed) {
        isRequestedAgain = false
        await advance()
      }
      failureLevel.reset()
    } catch (error) {
      log[failureLevel.of(error)]({ err: error }, 'events could not be relayed; the next tick tries again')
    } finally {
      isAdvancing = false
    }
  })

  const stopListening = signals.listen(topic, () => void advanceSoon())
  const ticks = setInterval(() => void advanceSoon(), tickMs)
  ticks.unref()
  const broadcasts = openBroadcasts({
    signals,
    onEvents: (events) => {
      for (const follower of followers) follower.onTransient?.(events)
    },
  })
  connectRelay(db, {
    announce: () => void signals.announce(topic).catch(() => advanceSoon()),
    broadcast: broadcasts.send,
  })

  return {
    publish,
    follow: (follower) => {
      const bound = {
        onEvents: bindWork(follower.onEvents),
        onClosed: bindWork(follower.onClosed),
        ...(follower.onTransient && { onTransient: bindWork(follower.onTransient) }),
      }
      followers.add(bound)
      return () => followers.delete(bound)
    },
    read: (cursor, limit) => findEventsAfter(db, cursor, limit),
    retention: () => selectRetention(db),
    lastPosition: async () => {
      await placeEvents(db)
      return lastPosition(db)
    },
    relayedPosition: () => seen,
    close: () => {
      isClosed = true
      stopListening()
      broadcasts.close()
      clearInterval(ticks)
      for (const follower of followers) follower.onClosed()
      followers.clear()
    },
  }
}
