import type { QueryClient } from '@tanstack/react-query'
import { keyOf, type Undo } from '../../shared/api/hooks.ts'
import type { Board, BoardCard, BoardSection } from './board-cache.ts'

/** Where a card goes: before or after another one of a section, else to its top. */
export type CardPlace = { key: string; beforeId?: number | undefined; afterId?: number | undefined }

/**
 * Moves a card in every board that has the section. Answers how to put it back, or nothing if no board has both. A card that was moved
 * again meanwhile stays where it is: its place is that of the later move.
 */
export function moveCard(cache: QueryClient, id: number, to: CardPlace): Undo | undefined {
  const moved = cache.getQueriesData<Board>({ queryKey: keyOf('board.show') }).flatMap(([key, board]) => {
    const from = board && placeOf(board, id)
    const after = from && withCardAt(board, id, to)
    if (!after || after === board) return []
    cache.setQueryData(key, after)
    return [{ key, from, at: placeOf(after, id) }]
  })
  if (moved.length === 0) return undefined
  return () => {
    for (const { key, from, at } of moved) {
      cache.setQueryData<Board>(key, (board) =>
        board && isSamePlace(placeOf(board, id), at) ? withCardAt(board, id, from) : board,
      )
    }
  }
}

function placeOf(board: Board, id: number): CardPlace | undefined {
  for (const { key, cards } of board.sections) {
    const at = cards.findIndex((card) => card.id === id)
    if (at !== -1) return { key, afterId: cards[at - 1]?.id, beforeId: cards[at + 1]?.id }
  }
  return undefined
}

/** One of its neighbours may have been moved itself. */
function isSamePlace(one: CardPlace | undefined, other: CardPlace | undefined): boolean {
  return one?.key === other?.key && (one?.afterId === other?.afterId || one?.beforeId === other?.beforeId)
}

function withCardAt(board: Board, id: number, to: CardPlace): Board {
  const card = board.sections.flatMap(({ cards }) => cards).find((each) => each.id === id)
  if (!card || !board.sections.some(({ key }) => key === to.key)) return board
  const sections = board.sections.map((section) => {
    const rest = section.cards.filter((each) => each.id !== id)
    if (section.key !== to.key) return rest.length === section.cards.length ? section : counted(section, rest)
    const place = placeIn(rest, to)
    if (board.view !== 'categories') return counted(section, rest.toSpliced(place, 0, card))
    const { category_id: _, ...bare } = card
    const moved = section.category_id === undefined ? bare : { ...bare, category_id: section.category_id }
    return counted(section, rest.toSpliced(place, 0, moved))
  })
  return { ...board, sections }
}

function placeIn(cards: readonly BoardCard[], { beforeId, afterId }: CardPlace): number {
  if (beforeId === undefined) return cards.findIndex(({ id }) => id === afterId) + 1
  const at = cards.findIndex(({ id }) => id === beforeId)
  return at === -1 ? cards.length : at
}

function counted(section: BoardSection, cards: BoardCard[]): BoardSection {
  const more = cards.length - section.cards.length
  return { ...section, cards, total: section.total + more, shown: section.shown + more }
}
