import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { eventsMissed } from '@yardmaster/contract/events/missed'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { isOutage } from '../db/outage.ts'
import type { ReceivedEvent } from './broadcasts.ts'
import type { PlacedEvent } from './event.ts'
import type { Events } from './events.ts'
import type { EventCursor } from './outbox-store.ts'

type StreamOptions = {
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  heartbeatMs?: number
  maxBacklogBytes?: number
}

/** Keeps proxies from closing the connection and detects a dead client. */
const defaultHeartbeatMs = 15_000
/** A client this far behind is disconnected. It reconnects with `Last-Event-ID` and catches up from the database. */
const defaultMaxBacklogBytes = 1024 * 1024
const catchUpBatch = 500

/**
 * Sends the events after the cursor as server-sent events. It follows first and catches up second, so that no event is
 * missed in between: events that arrive while it catches up only make it read again.
 */
export function openEventStream(
  events: Events,
  from: EventCursor,
  { signal, heartbeatMs = defaultHeartbeatMs, maxBacklogBytes = defaultMaxBacklogBytes }: StreamOptions,
): PassThrough {
  const stream = new PassThrough()
  const closed = new AbortController()
  let position = from.position
  let isCatchingUp = true
  let isBehind = false

  const write = (text: string): void => {
    if (stream.writable) stream.write(text)
  }
  const send = (event: PlacedEvent): void => {
    if (event.position <= position) return
    position = event.position
    if (from.sessionId === undefined || event.session_id === from.sessionId) write(frame(event))
  }
  /** Deleted events cannot be replayed: the reader learns that it has to read again what it shows. */
  const skipDeleted = async (): Promise<void> => {
    const { prunedThrough, now } = await events.retention()
    if (position >= prunedThrough) return
    const payload = { after: position, through: prunedThrough }
    position = prunedThrough
    write(frame({ position, name: eventsMissed.name, session_id: null, payload, created_at: now }))
  }
  const catchUp = async (): Promise<void> => {
    do {
      isBehind = false
      for (;;) {
        const missed = await events.read({ ...from, position }, catchUpBatch)
        // After the read: what was deleted before it is missing in it.
        await skipDeleted()
        if (missed.length === 0) break
        missed.forEach(send)
        // At the client's pace: at most one batch is buffered, however much it missed.
        if (stream.writableNeedDrain) await once(stream, 'drain', { signal: closed.signal })
      }
    } while (isBehind && stream.writable)
    isCatchingUp = false
  }
  const stopFollowing = events.follow({
    onEvents: (placed) => {
      if (isCatchingUp) {
        isBehind = true
        return
      }
      // Checked before the write: the client has had no chance to read a burst that arrives at once.
      if (stream.writableLength > maxBacklogBytes) stream.destroy()
      placed.forEach(send)
    },
    // Dropped for a client that is behind: it is disconnected soon, and reads again what it shows.
    onTransient: (received) => {
      if (stream.writableLength > maxBacklogBytes) return
      for (const event of received) {
        if (from.sessionId === undefined || event.session_id === from.sessionId) write(transientFrame(event))
      }
    },
    // A client that does not read would never receive the end, and would delay our shutdown.
    onClosed: () => (stream.writableNeedDrain ? stream.destroy() : stream.end()),
  })
  const heartbeats = setInterval(() => write(': heartbeat\n\n'), heartbeatMs)

  stream.on('close', () => {
    closed.abort()
    stopFollowing()
    clearInterval(heartbeats)
  })
  if (signal.aborted) stream.destroy()
  signal.addEventListener('abort', () => stream.destroy())
  // The position makes a reader that is cut off before its first event continue from here.
  write(`: connected\nid: ${position}\n\n`)
  // The server logs the error of a stream. An outage is reported elsewhere.
  catchUp().catch((error: Error) => stream.destroy(isOutage(error) ? undefined : error))
  return stream
}

function frame({ position, name, session_id, payload, created_at }: PlacedEvent): string {
  const data = { session_id, ...(payload as object), at: formatTimestamp(created_at) } // payloads are objects by their schemas
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Without an id: the reader continues after the last event that has one. */
function transientFrame({ name, session_id, payload, at }: ReceivedEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify({ session_id, ...payload, at })}\n\n`
}
