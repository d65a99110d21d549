import type { QueryClient } from '@tanstack/react-query'
import type { Result } from '../../shared/api/client.ts'
import type { Undo } from '../../shared/api/hooks.ts'

export type Board = Result<'board.show'>
export type BoardSection = Board['sections'][number]
export type BoardCard = BoardSection['cards'][number]
export type CardChange = Partial<BoardCard>

const boards = { queryKey: ['board.show'] }

/** Changes cards in every board that was read, and answers how to take that back. No board has them: nothing is changed or answered. */
export function patchCards(cache: QueryClient, changes: ReadonlyMap<number, CardChange>): Undo | undefined {
  const before = new Map<number, BoardCard>()
  cache.setQueriesData<Board>(boards, (board) => board && withCards(board, changes, before))
  if (before.size === 0) return undefined
  return () => {
    const back = new Map([...before].map(([id, card]) => [id, undoOf(card, changes.get(id))] as const))
    cache.setQueriesData<Board>(boards, (board) => board && withCards(board, back))
  }
}

/** Whether a board that is on the page has this session. */
export function isOnBoard(cache: QueryClient, id: number | null): boolean {
  return cache
    .getQueryCache()
    .findAll({ ...boards, type: 'active' })
    .some(({ state }) =>
      (state.data as Board | undefined)?.sections.some(({ cards }) => cards.some((card) => card.id === id)),
    )
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
