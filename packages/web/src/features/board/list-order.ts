import { keep, kept } from '../../shared/state/keep.ts'

const key = 'yardmaster.list-order'

/** The list a person came from, so that `[` and `]` on a session's page stay inside it. Kept while the tab is open. */
export function rememberOrder(ids: readonly number[]): void {
  keep(key, JSON.stringify(ids.slice(0, 1000)), sessionStorage)
}

/** The neighbours of a session in the list that was seen last, and its place there, from 1. */
export function neighboursOf(
  id: number | undefined,
): { previous?: number; next?: number; place: number; of: number } | undefined {
  const ids = JSON.parse(kept(key, sessionStorage) || '[]') as (number | undefined)[]
  const at = ids.indexOf(id)
  if (at === -1) return undefined
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  return {
    place: at + 1,
    of: ids.length,
    ...(previous !== undefined && { previous }),
    ...(next !== undefined && { next }),
  }
}
