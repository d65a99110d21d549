import { type Page, paginate } from '@yardmaster/contract/paging'
import type { FoundSessions } from '@yardmaster/contract/search/fields'
import type { SessionFilters } from '@yardmaster/contract/sessions/fields'
import type { App } from '../app.ts'
import { listSessionsWhere } from '../sessions/session.ts'
import { isFound, selectHoldersByWord } from './document-store.ts'
import { phraseOf } from './phrase.ts'
import { searchChanged } from './search-changed.ts'

/** Searches title and JSON. Sessions that changed in the last seconds are not indexed yet and are compared directly. */
export async function searchSessions(
  app: App,
  { query, filters, page }: { query: string; filters: SessionFilters; page: Page },
): Promise<FoundSessions> {
  const phrase = phraseOf(query)
  const changed = await searchChanged(app.db, phrase)
  const known = await selectHoldersByWord(app.db, phrase)
  const { items, totalCount } = await listSessionsWhere(app, isFound(phrase, { ...changed, known }), filters, page)
  return { query, search_contents: false, sessions: items, pagination: paginate(page, totalCount) }
}
