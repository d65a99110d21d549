import { useState } from 'react'
import { keep, kept } from '../../shared/state/keep.ts'
import { type BoardSearch, boardSearch } from './board-search.ts'

type SavedView = { name: string; search: BoardSearch }

const key = 'yardmaster.board.views'

function readViews(): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(kept(key))
    if (!Array.isArray(stored)) return []
    return stored.map(({ name, search }) => ({ name: String(name), search: boardSearch(Object(search)) }))
  } catch {
    return []
  }
}

/** Views with a name, kept in this browser. Saving under a known name takes its place. */
export function useSavedViews(): {
  views: readonly SavedView[]
  save(name: string, search: BoardSearch): void
  remove(name: string): void
} {
  const [views, setViews] = useState(readViews)
  const become = (next: readonly SavedView[]) => {
    keep(key, JSON.stringify(next))
    setViews(next)
  }
  return {
    views,
    save: (name, search) => become([...views.filter((view) => view.name !== name), { name, search }]),
    remove: (name) => become(views.filter((view) => view.name !== name)),
  }
}
