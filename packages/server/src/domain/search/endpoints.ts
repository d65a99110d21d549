import * as contract from '@yardmaster/contract/search/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { readQuery } from './read-query.ts'
import { searchContents } from './search-contents.ts'
import { searchSessions } from './search-sessions.ts'

export const searchEndpoint = bind(contract.searchSessions, async ({ query: asked, signal }, app) => {
  const query = readQuery(asked)
  return ok(
    asked.search_contents
      ? await searchContents(app, {
          query,
          filters: asked,
          perPage: asked.per_page,
          cursor: asked.scan_cursor,
          hasMatches: asked.include_matches,
          signal,
        })
      : await searchSessions(app, { query, filters: asked, page: { page: asked.page, perPage: asked.per_page } }),
  )
})
