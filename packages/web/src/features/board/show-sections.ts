import type { QueryClient } from '@tanstack/react-query'
import { keyOf, type Undo } from '../../shared/api/hooks.ts'
import type { Board } from './board-cache.ts'

const boards = { queryKey: keyOf('board.show') }

/**
 * Puts the sections of every board by category in this order. Answers how to put them back. An order that was chosen after this one
 * stays.
 */
export function showOrder(cache: QueryClient, order: readonly string[]): Undo | undefined {
  const shown = cache.getQueriesData<Board>(boards).flatMap(([key, board]) => {
    if (board?.view !== 'categories' || board.sections.length < 2) return []
    const next = inOrder(board, order)
    cache.setQueryData(key, next)
    return [{ key, before: keysOf(board), chosen: keysOf(next).join() }]
  })
  if (shown.length === 0) return undefined
  return () => {
    for (const { key, before, chosen } of shown) {
      cache.setQueryData<Board>(key, (board) =>
        board && keysOf(board).join() === chosen ? inOrder(board, before) : board,
      )
    }
  }
}

function keysOf({ sections }: Board): string[] {
  return sections.map(({ key }) => key)
}

function inOrder(board: Board, order: readonly string[]): Board {
  return { ...board, sections: board.sections.toSorted((a, b) => order.indexOf(a.key) - order.indexOf(b.key)) }
}

/** Shows a category and its cards as frozen or not, in every board. */
export function showFrozen(cache: QueryClient, category: number, isFrozen: boolean): Undo {
  const show = (frozen: true | undefined) =>
    cache.setQueriesData<Board>(
      boards,
      (board) =>
        board && {
          ...board,
          sections: board.sections.map((section) => ({
            ...section,
            ...(section.category_id === category && { frozen }),
            cards: section.cards.map((card) => (card.category_id === category ? { ...card, frozen } : card)),
          })),
        },
    )
  show(isFrozen || undefined)
  return () => void show(isFrozen ? undefined : true)
}
