import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import { client } from '../api/client.ts'
import { noteLost } from '../api/reach.ts'
import { isSignedOut } from '../api/viewer.ts'
import { newId } from '../kit/new-id.ts'

export type Connection = 'connecting' | 'live' | 'lost'

export type Stream = {
  connection(): Connection
  /** Calls back on every change of the connection. Answers how to stop. */
  onConnection(listener: () => void): () => void
  onEvent(listener: (event: StreamedEvent) => void): () => void
  /** Calls back when what was read before may be stale though no event says so. */
  onGap(listener: () => void): () => void
  /** Calls back when the server says that no one is signed in here any more. */
  onSignedOut(listener: () => void): () => void
  close(): void
}

/** The heartbeat comes every 15 s. After this long without one, a page that is looked at again does not wait longer. */
const suspectMs = 20_000
const watchEveryMs = 5_000

type Message =
  | { kind: 'event'; event: StreamedEvent }
  | { kind: 'state'; connection: Connection; lastId: number }
  | { kind: 'signed_out' }
  | { kind: 'who' }
  | { kind: 'check' }

/**
 * One connection for all tabs of this browser: browsers allow six to a server, so the seventh tab would never load. The tab
 * that holds the lock reads the stream and repeats it to the others. When it closes, the next tab gets the lock and
 * continues after the last event it heard. An event has an id, so that none is handled twice. `after` is the newest event
 * before the tab's first read.
 *
 * Browsers give no locks to a page that is served by http from another host than localhost: there each tab reads a stream of its own,
 * and its channel has a name that no other tab knows.
 */
export function openStream(after: number): Stream {
  const locks: LockManager | undefined = navigator.locks
  const channel = new BroadcastChannel(locks ? 'yardmaster.events' : newId())
  const closing = new AbortController()
  const [onConnection, changed] = listeners<void>()
  const [onEvent, arrived] = listeners<StreamedEvent>()
  const [onGap, missed] = listeners<void>()
  const [onSignedOut, signedOut] = listeners<void>()
  let connection: Connection = 'connecting'
  let lastId = after
  let heardAt = Date.now()
  let reading: AbortController | undefined

  const become = (next: Connection): void => {
    if (next === connection) return
    connection = next
    noteLost(next === 'lost')
    changed()
  }
  const tell = (message: Message): void => channel.postMessage(message)
  const tellState = (): void => tell({ kind: 'state', connection, lastId })
  const handle = (event: StreamedEvent): void => {
    // A transient event has no id.
    if (event.id !== undefined) {
      if (event.id <= lastId) return
      lastId = event.id
    }
    if (event.name === 'events.missed') missed()
    arrived(event)
  }

  const lead = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const attempt = new AbortController()
      reading = attempt
      heardAt = Date.now()
      try {
        const events = client.events({
          after: lastId,
          signal: AbortSignal.any([attempt.signal, closing.signal]),
          onHeard: () => {
            heardAt = Date.now()
            if (connection === 'live') return
            become('live')
            tellState()
          },
          onLost: () => {
            become('lost')
            tellState()
          },
        })
        for await (const event of events) {
          handle(event)
          tell({ kind: 'event', event })
        }
      } catch (error) {
        // Refused. After a sign-out, a page that reads nothing at the moment would go on showing what it has.
        if (isSignedOut(error)) {
          signedOut()
          tell({ kind: 'signed_out' })
        }
        become('lost')
        tellState()
        await pause(watchEveryMs, closing.signal)
      }
    }
  }

  /** A computer that slept keeps dead connections: the tab that reads drops one that has been silent for too long. */
  const check = (): void => {
    if (reading && Date.now() - heardAt > suspectMs) {
      become('lost')
      reading.abort()
    }
  }
  let watchedAt = Date.now()
  const watch = setInterval(() => {
    // The clock jumped: the computer slept.
    if (Date.now() - watchedAt > suspectMs) check()
    watchedAt = Date.now()
  }, watchEveryMs)
  const onVisible = (): void => {
    if (document.visibilityState !== 'visible') return
    check()
    tell({ kind: 'check' })
  }
  document.addEventListener('visibilitychange', onVisible)
  window.addEventListener('online', onVisible)

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'event') handle(data.event)
    else if (data.kind === 'signed_out') signedOut()
    else if (data.kind === 'check') check()
    else if (data.kind === 'who') reading && tellState()
    else if (!reading) {
      // The others heard events before this tab listened, and it may have read before them.
      if (data.lastId > lastId) {
        lastId = data.lastId
        missed()
      }
      become(data.connection)
    }
  }
  tell({ kind: 'who' })
  if (locks) locks.request('yardmaster.events', { signal: closing.signal }, lead).catch(() => undefined)
  else void lead()

  return {
    connection: () => connection,
    onConnection,
    onEvent,
    onGap,
    onSignedOut,
    close: () => {
      closing.abort()
      clearInterval(watch)
      document.removeEventListener('visibilitychange', onVisible)
      window.removeEventListener('online', onVisible)
      channel.close()
    },
  }
}

function listeners<Value>(): [(listener: (value: Value) => void) => () => void, (value: Value) => void] {
  const all = new Set<(value: Value) => void>()
  const add = (listener: (value: Value) => void) => {
    all.add(listener)
    return () => void all.delete(listener)
  }
  const call = (value: Value) => {
    for (const listener of all) listener(value)
  }
  return [add, call]
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
