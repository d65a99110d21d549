import { useEffect, useMemo, useState } from 'react'
import { call } from '../../shared/api/client.ts'
import type { Entry, Loaded } from './use-entries.ts'

const pageSize = 500
const typingMs = 250

type Found = { sequences: readonly number[]; isSearching: boolean }

/** The entries that contain a phrase: at once those that are loaded, then page by page the others. */
export function useFind(id: string, loaded: Loaded | undefined, phrase: string): Found {
  const wanted = phrase.trim().toLowerCase()
  const [elsewhere, setElsewhere] = useState<{ wanted: string; sequences: readonly number[] }>()
  const [isSearching, setSearching] = useState(false)
  const isReady = loaded !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded later is searched on the page.
  useEffect(() => {
    if (wanted.length < 2 || !loaded) return
    const stopped = new AbortController()
    const first = loaded.entries[0]?.sequence ?? 1
    const last = loaded.entries.at(-1)?.sequence ?? 0
    const timer = setTimeout(async () => {
      setSearching(true)
      try {
        for await (const entries of otherPages(id, { first, last }, stopped.signal)) {
          const found = entries.filter((entry) => contains(entry, wanted)).map(({ sequence }) => sequence)
          setElsewhere((old) => ({
            wanted,
            sequences: [...(old?.wanted === wanted ? old.sequences : []), ...found],
          }))
        }
      } finally {
        if (!stopped.signal.aborted) setSearching(false)
      }
    }, typingMs)
    return () => {
      clearTimeout(timer)
      stopped.abort()
      setElsewhere(undefined)
      setSearching(false)
    }
  }, [id, wanted, isReady])
  const sequences = useMemo(() => {
    if (wanted.length < 2) return []
    const here = (loaded?.entries ?? []).filter((entry) => contains(entry, wanted)).map(({ sequence }) => sequence)
    const all = new Set([...(elsewhere?.wanted === wanted ? elsewhere.sequences : []), ...here])
    return [...all].sort((a, b) => a - b)
  }, [loaded, wanted, elsewhere])
  return { sequences, isSearching }
}

async function* otherPages(
  id: string,
  { first, last }: { first: number; last: number },
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[]> {
  for (let before = first; before > 1 && !signal.aborted; ) {
    const page = await call('transcripts.entries', { id, before, limit: pageSize }, { signal })
    yield page.entries
    before = page.first ?? 1
  }
  for (let after = last; !signal.aborted; ) {
    const page = await call('transcripts.entries', { id, after, limit: pageSize }, { signal })
    if (page.last === null) return
    yield page.entries
    after = page.last
  }
}

function contains({ kind, parts }: Entry, wanted: string): boolean {
  if (kind === 'hidden') return false
  return parts.some(
    ({ text, summary }) => text.toLowerCase().includes(wanted) || summary?.toLowerCase().includes(wanted) === true,
  )
}
