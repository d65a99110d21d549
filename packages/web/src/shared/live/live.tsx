import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { OperationName } from '../api/client.ts'
import { type Resource, refresh, refreshAll } from '../api/hooks.ts'
import { viewerKey } from '../api/viewer.ts'
import { type Connection, openStream, type Stream } from './stream.ts'

export type EventName = StreamedEvent['name']
export type EventOf<Name extends EventName> = Extract<StreamedEvent, { name: Name }>

/**
 * What a feature does when an event arrives: names what to read again, or patches the cache itself. Names are read at most
 * four times a second, however many events arrive.
 */
export type Reactions = {
  [Name in EventName]?:
    | readonly (OperationName | Resource)[]
    | ((event: EventOf<Name>, cache: QueryClient) => readonly (OperationName | Resource)[] | undefined)
}

const refreshEveryMs = 250
const StreamContext = createContext<Stream | undefined>(undefined)

export function LiveProvider({
  reactions,
  children,
}: {
  reactions: readonly Reactions[]
  children: ReactNode
}): ReactNode {
  const cache = useQueryClient()
  const [stream, setStream] = useState<Stream>()
  useEffect(() => {
    const opened = openStream()
    const refreshSoon = throttled((names) => refresh(cache, names))
    opened.onEvent((event) => {
      for (const table of reactions) {
        const reaction = table[event.name]
        // The table maps each name to a function of that event.
        const react = reaction as
          | ((event: StreamedEvent, cache: QueryClient) => readonly string[] | undefined)
          | undefined
        const names = typeof reaction === 'function' ? react?.(event, cache) : reaction
        if (names) refreshSoon(names)
      }
    })
    opened.onGap(() => void refreshAll(cache))
    opened.onSignedOut(() => void cache.invalidateQueries({ queryKey: viewerKey }))
    setStream(opened)
    return () => opened.close()
  }, [cache, reactions])
  // The pages read only when this tab listens: what changes after a read is heard.
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

/** The first call acts at once; the names of later ones are collected until the interval has passed. */
function throttled(act: (names: string[]) => void): (names: readonly string[]) => void {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    if (waiting.size === 0) return
    act([...waiting])
    waiting.clear()
    timer = setTimeout(flush, refreshEveryMs)
  }
  return (names) => {
    for (const name of names) waiting.add(name)
    if (timer === undefined) flush()
  }
}
