import { type Page, paginate } from '@yardmaster/contract/paging'
import type { FoundSessions } from '@yardmaster/contract/search'
import type { SessionFilters } from '@yardmaster/contract/session'
import type { App } from '../app.ts'
import { listSessionsWhere } from '../sessions/session.ts'
import { isFound, selectHoldersByWord } from './document-store.ts'
import { phraseOf } from './phrase.ts'
import { lookAtChanged } from './search-changed.ts'

/** By title and JSON. The index has what has been at rest for a while; the few that changed lately are looked at. */
export async function searchSessions(
  app: App,
  { query, filters, page }: { query: string; filters: SessionFilters; page: Page },
): Promise<FoundSessions> {
  const phrase = phraseOf(query)
  const changed = await lookAtChanged(app.db, phrase)
  const known = await selectHoldersByWord(app.db, phrase)
  const { items, totalCount } = await listSessionsWhere(app, isFound(phrase, { ...changed, known }), filters, page)
  return { query, search_contents: false, sessions: items, pagination: paginate(page, totalCount) }
}
