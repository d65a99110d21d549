import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../shared/api/client.ts'
import { patternOf } from './pattern-of.ts'
import type { Entry, Loaded } from './use-entries.ts'

const pageSize = 500
const typingMs = 250

type Found = {
  sequences: readonly number[]
  isSearching: boolean
  /** How many long texts were searched by their beginning only: a page of entries has no more of them. */
  unsearched: number
  searchAll: () => void
  failure: Failure | undefined
}

type Failure = { error: unknown; retry: () => void }

/** Of each entry, by its sequence: whether it was found, or the parts of which only the beginning was searched. */
type Looks = ReadonlyMap<number, 'found' | readonly number[]>

const nothing: Looks = new Map()
const noSearch = { wanted: '', looks: nothing }

/** The entries that contain a phrase: at once those that are loaded, then page by page the others. */
export function useFind(id: string, loaded: Loaded | undefined, phrase: string): Found {
  const wanted = phrase.trim()
  const isWanted = wanted.length >= 2
  const [searched, setSearched] = useState(noSearch)
  const [isSearching, setSearching] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const stopped = useRef(new AbortController())
  const isReady = loaded !== undefined

  const search = async (begin: (signal: AbortSignal) => AsyncIterable<Looks>): Promise<void> => {
    const { signal } = stopped.current
    setSearching(true)
    setFailure(undefined)
    try {
      for await (const looks of begin(signal))
        if (!signal.aborted) setSearched((old) => ({ wanted, looks: new Map([...old.looks, ...looks]) }))
    } catch (error) {
      if (!signal.aborted) setFailure({ error, retry: () => void search(begin) })
    } finally {
      if (!signal.aborted) setSearching(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded later is searched on the page.
  useEffect(() => {
    if (!isWanted || !loaded) return
    stopped.current = new AbortController()
    const { entries } = loaded
    // What is loaded now may be let go of on the way to an entry that was found.
    setSearched({ wanted, looks: looksOf(entries, wanted) })
    const [first, last] = [entries[0]?.sequence ?? 1, entries.at(-1)?.sequence ?? 0]
    const timer = setTimeout(() => void search((signal) => otherPages(id, { first, last, wanted }, signal)), typingMs)
    return () => {
      clearTimeout(timer)
      stopped.current.abort()
      setSearched(noSearch)
      setSearching(false)
      setFailure(undefined)
    }
  }, [id, wanted, isReady])

  const looks = useMemo(() => {
    // What was searched for the phrase before says nothing about this one.
    const elsewhere = searched.wanted === wanted ? searched.looks : nothing
    return isWanted ? new Map([...looksOf(loaded?.entries ?? [], wanted), ...elsewhere]) : nothing
  }, [loaded, wanted, isWanted, searched])
  const sequences = useMemo(
    () => [...looks].flatMap(([sequence, look]) => (look === 'found' ? sequence : [])).sort((a, b) => a - b),
    [looks],
  )
  return {
    sequences,
    isSearching,
    unsearched: [...looks.values()].reduce((sum, look) => sum + (look === 'found' ? 0 : look.length), 0),
    searchAll: () => void search((signal) => wholeEntries(id, { looks, wanted }, signal)),
    failure,
  }
}

async function* otherPages(
  id: string,
  { first, last, wanted }: { first: number; last: number; wanted: string },
  signal: AbortSignal,
): AsyncGenerator<Looks> {
  for (let before = first; before > 1 && !signal.aborted; ) {
    const page = await call('transcripts.entries', { id, before, limit: pageSize }, { signal })
    yield looksOf(page.entries, wanted)
    before = page.first ?? 1
  }
  for (let after = last; !signal.aborted; ) {
    const page = await call('transcripts.entries', { id, after, limit: pageSize }, { signal })
    if (page.last === null) return
    yield looksOf(page.entries, wanted)
    after = page.last
  }
}

/** Reads the long texts one by one, the newest first, and keeps none of them: together they may be larger than a browser can hold. */
async function* wholeEntries(
  id: string,
  { looks, wanted }: { looks: Looks; wanted: string },
  signal: AbortSignal,
): AsyncGenerator<Looks> {
  const pattern = patternOf(wanted)
  for (const [sequence, look] of [...looks].sort(([a], [b]) => b - a)) {
    if (look === 'found' || look.length === 0) continue
    let isFound = false
    for (const n of look) {
      if (isFound || signal.aborted) break
      const { part } = await call('transcripts.part', { id, sequence: String(sequence), n: String(n) }, { signal })
      isFound = part.text.search(pattern) >= 0
    }
    yield new Map([[sequence, isFound ? 'found' : []]])
  }
}

function looksOf(entries: readonly Entry[], wanted: string): Looks {
  const pattern = patternOf(wanted)
  return new Map(
    entries.flatMap(({ sequence, kind, parts }) => {
      if (kind === 'hidden') return []
      const isFound = parts.some(({ text, summary }) => [text, summary ?? ''].some((each) => each.search(pattern) >= 0))
      const cut = parts.flatMap(({ is_cut }, index) => (is_cut ? index : []))
      return isFound || cut.length > 0 ? [[sequence, isFound ? 'found' : cut] as const] : []
    }),
  )
}
