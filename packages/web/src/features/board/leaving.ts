import { useEffect, useMemo, useRef, useState } from 'react'
import type { Board, BoardCard, BoardSection } from './board-cache.ts'

/** As long as an undo is offered. */
const staysMs = 10_000

type Ghost = { card: BoardCard; key: string; afterId: number | undefined; until: number }
type Places = ReadonlyMap<number, { card: BoardCard; key: string; afterId: number | undefined }>

/**
 * The board with the rows that just left it still in their places, so that nothing jumps under the cursor. Another filter or
 * view starts without them.
 */
export function useLingering(
  { data: board, isPlaceholderData: isOfOtherQuery }: { data: Board | undefined; isPlaceholderData: boolean },
  query: string,
): { sections: readonly BoardSection[]; isGone: (id: number) => boolean } {
  const seen = useRef<{ query: string; board: Board | undefined; places: Places; ghosts: Map<number, Ghost> }>({
    query,
    board: undefined,
    places: new Map(),
    ghosts: new Map(),
  })
  const [forgotten, forget] = useState(0)
  const { current } = seen
  if (current.query !== query) {
    const places = isOfOtherQuery ? new Map() : placesOf(board)
    seen.current = { query, board, places, ghosts: new Map() }
  } else if (current.board !== board && !isOfOtherQuery) {
    const places = placesOf(board)
    const until = Date.now() + staysMs
    for (const [id, place] of current.places) if (!places.has(id)) current.ghosts.set(id, { ...place, until })
    for (const id of places.keys()) current.ghosts.delete(id)
    current.board = board
    current.places = places
  }
  const { ghosts } = seen.current
  useEffect(() => {
    if (ghosts.size === 0) return
    const next = Math.min(...[...ghosts.values()].map(({ until }) => until))
    const timer = setTimeout(() => {
      for (const [id, { until }] of ghosts) if (until <= Date.now()) ghosts.delete(id)
      forget((count) => count + 1)
    }, next - Date.now())
    return () => clearTimeout(timer)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ghosts change with the board, and when one is forgotten.
  return useMemo(
    () => ({ sections: withGhosts(board?.sections ?? [], ghosts), isGone: (id: number) => ghosts.has(id) }),
    [board, ghosts, forgotten],
  )
}

function placesOf(board: Board | undefined): Places {
  const places = new Map<number, { card: BoardCard; key: string; afterId: number | undefined }>()
  for (const { key, cards } of board?.sections ?? []) {
    for (const [index, card] of cards.entries()) places.set(card.id, { card, key, afterId: cards[index - 1]?.id })
  }
  return places
}

function withGhosts(sections: readonly BoardSection[], ghosts: ReadonlyMap<number, Ghost>): readonly BoardSection[] {
  if (ghosts.size === 0) return sections
  return sections.map((section) => {
    const own = [...ghosts.values()].filter(({ key }) => key === section.key)
    if (own.length === 0) return section
    const cards = [...section.cards]
    // In the order in which they were below one another: the one above may be a ghost too.
    for (const { card, afterId } of own) {
      const at = afterId === undefined ? 0 : cards.findIndex(({ id }) => id === afterId) + 1
      cards.splice(at, 0, card)
    }
    return { ...section, cards }
  })
}
