import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { call, type Result } from '../../shared/api/client.ts'

export type Entry = Result<'transcripts.entries'>['entries'][number]
export type EntryPart = Entry['parts'][number]

/** The loaded part of a thread: entries without a gap, and how many there are in all. */
export type Loaded = { entries: readonly Entry[]; total: number }

const pageSize = 200
const maxLoaded = 2_000

type Place = { before: number } | { after: number } | { around: number } | Record<never, never>

export type Entries = {
  loaded: Loaded | undefined
  error: unknown
  isLoadingOlder: boolean
  hasOlder: boolean
  /** False when the end of the thread is not loaded, because someone reads far above it. */
  isAtTail: boolean
  loadOlder(): void
  loadNewer(): void
  /** Reads what was written since, or only how much it is if the end is not loaded. */
  catchUp(): void
  /** Reads the last page again: which call started a subagent may be stored after the call and its result. */
  reread(): void
  /** Loads the end of the thread. */
  goToEnd(): Promise<void>
  /** Loads the surroundings of an entry, unless they are loaded. */
  goTo(sequence: number): Promise<void>
}

type Work = (isCurrent: () => boolean) => Promise<void>

/** Holds at most 2,000 entries of a thread, wherever its reader is. */
export function useEntries(id: string, { thread = 'main', start }: { thread?: string; start?: number }): Entries {
  const [loaded, setLoaded] = useState<Loaded>()
  const [error, setError] = useState<unknown>()
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  const latest = useRef<Loaded | undefined>(undefined)
  // One page at a time and in order: two that overlap would leave a gap or repeat entries.
  const queue = useRef(Promise.resolve())
  // Another set for another thread, by which a late answer is known.
  const waiting = useRef(new Set<Work>())

  const become = useCallback((next: Loaded) => {
    latest.current = next
    setLoaded(next)
  }, [])

  const inOrder = useCallback((work: Work): Promise<void> => {
    const mine = waiting.current
    // Events may arrive faster than entries are read: the same work waits only once.
    if (mine.has(work)) return queue.current
    mine.add(work)
    const isCurrent = () => waiting.current === mine
    queue.current = queue.current.then(async () => {
      mine.delete(work)
      if (!isCurrent()) return
      try {
        await work(isCurrent)
        if (isCurrent()) setError(undefined)
      } catch (failure) {
        if (isCurrent()) setError(failure)
      }
    })
    return queue.current
  }, [])

  const read = useCallback(
    (place: Place, limit = pageSize) => call('transcripts.entries', { id, thread, limit, ...place }),
    [id, thread],
  )

  const replace = useCallback(
    (place: Place) =>
      inOrder(async (isCurrent) => {
        const { entries, total } = await read(place)
        if (isCurrent()) become({ entries, total })
      }),
    [inOrder, read, become],
  )

  const actions = useMemo(() => {
    const edge = (which: 0 | -1) => latest.current?.entries.at(which)?.sequence
    const loadOlder: Work = async (isCurrent) => {
      const first = edge(0)
      if (first === undefined || first <= 1) return
      setLoadingOlder(true)
      try {
        const { entries, total } = await read({ before: first })
        const now = latest.current
        if (isCurrent() && now) become({ entries: withOlder(now.entries, entries), total })
      } finally {
        setLoadingOlder(false)
      }
    }
    const loadNewer: Work = async (isCurrent) => {
      const last = edge(-1) ?? 0
      const { entries, total } = await read({ after: Math.min(last, firstOpenCall(latest.current) - 1) })
      const now = latest.current
      if (!isCurrent() || !now || (entries.length === 0 && total === now.total)) return
      become({
        entries: withNewer(
          withFresh(now.entries, entries),
          entries.filter(({ sequence }) => sequence > last),
        ),
        total,
      })
    }
    const catchUp: Work = async (isCurrent) => {
      const now = latest.current
      // Known only now: the first page may have been read while this waited.
      if (isTail(now)) return loadNewer(isCurrent)
      const page = await read({}, now ? 1 : pageSize)
      if (!isCurrent() || page.total === now?.total) return
      // Without anything loaded the first attempt failed, and this one is the next.
      become({ entries: now?.entries ?? page.entries, total: page.total })
    }
    const reread: Work = async (isCurrent) => {
      const now = latest.current
      if (!now || !isTail(now)) return
      const { entries } = await read({ after: Math.max(0, now.total - pageSize) })
      if (isCurrent()) become({ ...now, entries: withFresh(now.entries, entries) })
    }
    return {
      loadOlder: () => void inOrder(loadOlder),
      loadNewer: () => void inOrder(loadNewer),
      catchUp: () => void inOrder(catchUp),
      reread: () => void inOrder(reread),
      goToEnd: () => (isTail(latest.current) ? Promise.resolve() : replace({})),
      goTo: async (sequence: number) => {
        const [first, last] = [edge(0) ?? 0, edge(-1) ?? 0]
        if (sequence < first || sequence > last) await replace({ around: sequence })
      },
    }
  }, [inOrder, read, become, replace])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a later change of the start is a jump, not another thread.
  useEffect(() => {
    void replace(start === undefined ? {} : { around: start })
    return () => {
      waiting.current = new Set()
      queue.current = Promise.resolve()
      latest.current = undefined
      setLoaded(undefined)
    }
  }, [replace])

  return {
    loaded,
    error,
    isLoadingOlder,
    hasOlder: (loaded?.entries[0]?.sequence ?? 1) > 1,
    isAtTail: isTail(loaded),
    ...actions,
  }
}

/** Reading upwards lets go of the end. */
export function withOlder<Item>(loaded: readonly Item[], older: readonly Item[]): Item[] {
  return [...older, ...loaded].slice(0, maxLoaded)
}

/** Reading downwards lets go of the beginning. */
export function withNewer<Item>(loaded: readonly Item[], newer: readonly Item[]): Item[] {
  return [...loaded, ...newer].slice(-maxLoaded)
}

/** The same entries, as they were read last. */
function withFresh(loaded: readonly Entry[], fresh: readonly Entry[]): Entry[] {
  const bySequence = new Map(fresh.map((entry) => [entry.sequence, entry]))
  return loaded.map((entry) => bySequence.get(entry.sequence) ?? entry)
}

/** Fewer than a page, so that a page from there on has news as well. */
const mostAgain = 100

/** A call that has no result yet is read again with the news: the subagent that it started is stored after it. */
function firstOpenCall(loaded: Loaded | undefined): number {
  const open = new Map<string, number>()
  for (const { sequence, parts } of loaded?.entries.slice(-mostAgain) ?? []) {
    for (const { type, tool_use_id, subagent } of parts) {
      if (tool_use_id && type === 'tool_call' && !subagent) open.set(tool_use_id, sequence)
      else if (tool_use_id) open.delete(tool_use_id)
    }
  }
  return Math.min(...open.values())
}

function isTail(loaded: Loaded | undefined): boolean {
  return loaded !== undefined && (loaded.entries.at(-1)?.sequence ?? 0) >= loaded.total
}
