import type { QueryClient } from '@tanstack/react-query'
import { readOf } from '../../shared/api/hooks.ts'
import { viewerQuery } from '../../shared/api/viewer.ts'
import { type BoardSearch, queryOf } from './board-search.ts'

/** Reads the board while its code is loaded. What goes wrong is said by the page, which reads it as well. */
export async function readBoardAhead(cache: QueryClient, search: BoardSearch): Promise<void> {
  const viewer = await cache.fetchQuery(viewerQuery).catch(() => null)
  if (viewer) await cache.prefetchQuery(readOf('board.show', queryOf(search, viewer.person_key ?? undefined)))
}
