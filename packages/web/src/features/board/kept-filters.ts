import { keep, kept } from '../../shared/state/keep.ts'
import { type BoardSearch, boardSearch, viewOf } from './board-search.ts'

const key = 'yardmaster.board.filters'

/** The view and the filters that were used last, kept in this browser. Resetting them forgets them. */
export function keepFilters(search: BoardSearch): void {
  const view = viewOf(search)
  keep(key, Object.keys(view).length === 0 ? '' : JSON.stringify(view))
}

export function keptFilters(): BoardSearch | undefined {
  try {
    const view = viewOf(boardSearch(Object(JSON.parse(kept(key)))))
    return Object.keys(view).length === 0 ? undefined : view
  } catch {
    return undefined
  }
}
