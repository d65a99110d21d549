import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { PlacedEvent } from './event.ts'
import type { Events } from './events.ts'
import type { EventCursor } from './outbox-store.ts'

type StreamOptions = {
  /** Aborted when the reader has gone. */
  signal: AbortSignal
  heartbeatMs?: number
  maxBacklogBytes?: number
}

/** Often enough that proxies keep the connection and a dead one is noticed. */
const defaultHeartbeatMs = 15_000
/** A reader this far behind is let go; it comes back with its `Last-Event-ID` and catches up from the database. */
const defaultMaxBacklogBytes = 1024 * 1024
const catchUpBatch = 500

/**
 * What happens after the cursor's position, as server-sent events. Follows first and catches up second, so that nothing
 * falls in between: while it catches up it only notes that there was more, and looks again.
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
  const catchUp = async (): Promise<void> => {
    do {
      isBehind = false
      for (;;) {
        const missed = await events.read({ ...from, position }, catchUpBatch)
        if (missed.length === 0) break
        missed.forEach(send)
        // At the reader's pace: however much it missed, only a batch is held for it.
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
      // Looked at before and not after: of a burst that comes at once it could not have read anything yet.
      if (stream.writableLength > maxBacklogBytes) stream.destroy()
      placed.forEach(send)
    },
    // A reader that does not read would never see the end, and hold up ours.
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
  write(': connected\n\n')
  catchUp().catch(() => stream.destroy())
  return stream
}

function frame({ position, name, session_id, payload, created_at }: PlacedEvent): string {
  const data = { session_id, ...(payload as object), at: formatTimestamp(created_at) } // payloads are objects by their schemas
  return `id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
