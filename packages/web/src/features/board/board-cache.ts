import type { QueryClient } from '@tanstack/react-query'
import type { Result } from '../../shared/api/client.ts'

export type Board = Result<'board.show'>
export type BoardSection = Board['sections'][number]
export type BoardCard = BoardSection['cards'][number]
export type CardChange = Partial<BoardCard>

const boards = { queryKey: ['board.show'] }

/** Changes cards in every board that was read, and answers how to take that back. Boards without them stay as they are. */
export function patchCards(cache: QueryClient, changes: ReadonlyMap<number, CardChange>): () => void {
  const before = new Map<number, BoardCard>()
  cache.setQueriesData<Board>(boards, (board) => board && withCards(board, changes, before))
  return () => {
    const back = new Map([...before].map(([id, card]) => [id, undoOf(card, changes.get(id))] as const))
    cache.setQueriesData<Board>(boards, (board) => board && withCards(board, back))
  }
}

/** The keys that the change set, as they were. */
function undoOf(card: BoardCard, change: CardChange = {}): CardChange {
  return Object.fromEntries(Object.keys(change).map((key) => [key, card[key as keyof BoardCard]]))
}

function withCards(board: Board, changes: ReadonlyMap<number, CardChange>, before?: Map<number, BoardCard>): Board {
  let isChanged = false
  const sections = board.sections.map((section) => {
    if (!section.cards.some(({ id }) => changes.has(id))) return section
    isChanged = true
    const cards = section.cards.map((card) => {
      const change = changes.get(card.id)
      if (!change) return card
      before?.set(card.id, card)
      return { ...card, ...change }
    })
    return { ...section, cards }
  })
  return isChanged ? { ...board, sections } : board
}

/** Moves a card to a section, before another card or to its top, in every board by category. */
export function moveCard(cache: QueryClient, id: number, to: { key: string; beforeId?: number | undefined }): void {
  cache.setQueriesData<Board>(boards, (board) => {
    const card = board?.sections.flatMap(({ cards }) => cards).find((each) => each.id === id)
    if (!board || !card || !board.sections.some(({ key }) => key === to.key)) return board
    const sections = board.sections.map((section) => {
      const rest = section.cards.filter((each) => each.id !== id)
      if (section.key !== to.key) return rest.length === section.cards.length ? section : counted(section, rest)
      const at = to.beforeId === undefined ? 0 : rest.findIndex((each) => each.id === to.beforeId)
      const place = at === -1 ? rest.length : at
      const { category_id: _, ...bare } = card
      const moved = section.category_id === undefined ? bare : { ...bare, category_id: section.category_id }
      return counted(section, [...rest.slice(0, place), moved, ...rest.slice(place)])
    })
    return { ...board, sections }
  })
}

function counted(section: BoardSection, cards: BoardCard[]): BoardSection {
  const more = cards.length - section.cards.length
  return { ...section, cards, total: section.total + more, shown: section.shown + more }
}
