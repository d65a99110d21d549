import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { giveUpUnanswered, type OperationName } from '../api/client.ts'
import { type News, type Resource, refreshAfter, refreshAll } from '../api/hooks.ts'
import { viewerKey } from '../api/viewer.ts'
import { type Connection, openStream, type Stream } from './stream.ts'

export type EventName = StreamedEvent['name']
export type EventOf<Name extends EventName> = Extract<StreamedEvent, { name: Name }>

type Names = readonly (OperationName | Resource)[]
/** Names are read at most four times a second, however many events arrive, or once in `everyMs`. */
type Stale = Names | { names: Names; everyMs: number }

/** What a feature does when an event arrives: names what to read again, or patches the cache itself. */
export type Reactions = {
  [Name in EventName]?: Stale | ((event: EventOf<Name>, cache: QueryClient) => Stale | undefined)
}

const refreshEveryMs = 250
/** What is read rarely waits this long, so that the events of one change are answered by one read. */
const gatherMs = 100
const StreamContext = createContext<Stream | undefined>(undefined)

type LiveProviderProps = {
  reactions: readonly Reactions[]
  /** The newest event when the page opened. */
  after: number
  children: ReactNode
}

export function LiveProvider({ reactions, after, children }: LiveProviderProps): ReactNode {
  const cache = useQueryClient()
  const [openedAfter] = useState(after)
  const [stream, setStream] = useState<Stream>()
  useEffect(() => {
    const opened = openStream(openedAfter)
    const readAgain = paced((news) => refreshAfter(cache, news))
    opened.onEvent((event) => {
      for (const table of reactions) {
        const reaction = table[event.name]
        // The table maps each name to a function of that event.
        const react = reaction as ((event: StreamedEvent, cache: QueryClient) => Stale | undefined) | undefined
        const stale = typeof reaction === 'function' ? react?.(event, cache) : reaction
        if (stale) readAgain(stale, event.data.session_id)
      }
    })
    opened.onGap(() => void refreshAll(cache))
    let wasLost = false
    opened.onConnection(() => {
      const connection = opened.connection()
      if (connection === 'live' && wasLost) giveUpUnanswered()
      wasLost = connection === 'lost' || (wasLost && connection !== 'live')
    })
    opened.onSignedOut(() => void cache.invalidateQueries({ queryKey: viewerKey }))
    setStream(opened)
    return () => opened.close()
  }, [cache, reactions, openedAfter])
  // The pages come when this tab listens, so that no change is missed after their reads.
  return stream && <StreamContext value={stream}>{children}</StreamContext>
}

export function useConnection(): Connection {
  const stream = useContext(StreamContext)
  return useSyncExternalStore(
    (listener) => stream?.onConnection(listener) ?? (() => undefined),
    () => stream?.connection() ?? 'connecting',
  )
}

/** Calls back for each event of this name while the component is on the page. */
export function useLiveEvent<Name extends EventName>(name: Name, listener: (event: EventOf<Name>) => void): void {
  const stream = useContext(StreamContext)
  const latest = useRef(listener)
  latest.current = listener
  useEffect(
    () => stream?.onEvent((event) => event.name === name && latest.current(event as EventOf<Name>)),
    [stream, name],
  )
}

/** Each interval has a throttle of its own. */
function paced(act: (news: News) => void): (stale: Stale, session: number | null) => void {
  const throttles = new Map<number, ReturnType<typeof throttled>>()
  return (stale, session) => {
    const { names, everyMs } = 'everyMs' in stale ? stale : { names: stale, everyMs: refreshEveryMs }
    const firstMs = everyMs > refreshEveryMs ? gatherMs : 0
    const throttle = throttles.get(everyMs) ?? throttled(act, { firstMs, everyMs })
    throttles.set(everyMs, throttle)
    throttle(names, session)
  }
}

/** The first call acts after `firstMs`, at once if that is 0; the names of later ones are collected until the interval has passed. */
function throttled(
  act: (news: News) => void,
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
): (names: readonly string[], session: number | null) => void {
  const waiting = new Map<string, Set<number | null>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    if (waiting.size === 0) return
    act(waiting)
    waiting.clear()
    timer = setTimeout(flush, everyMs)
  }
  return (names, session) => {
    for (const name of names) waiting.set(name, (waiting.get(name) ?? new Set()).add(session))
    if (timer !== undefined) return
    if (firstMs > 0) timer = setTimeout(flush, firstMs)
    else flush()
  }
}
