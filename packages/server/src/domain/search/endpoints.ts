import { FoundContents, FoundSessions, SessionSearch } from '@yardmaster/contract/search/fields'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { readQuery } from './read-query.ts'
import { searchContents } from './search-contents.ts'
import { searchSessions } from './search-sessions.ts'

export const searchEndpoint = defineEndpoint({
  method: 'GET',
  path: '/sessions/search',
  tag: 'Sessions',
  summary: 'Search sessions for a text',
  description:
    'One literal phrase in the title, `metadata` and `custom_metadata`, and with `search_contents` in the stored transcript. A content search always answers within its time; when it is not `complete`, go on with its `next_cursor`.',
  query: SessionSearch,
  answers: { 200: [FoundSessions, FoundContents] },
  refusals: ['search_query_missing', 'search_query_too_long'],
  handle: async ({ query: asked, signal }, app) => {
    const query = readQuery(asked)
    return ok(
      asked.search_contents
        ? await searchContents(app, {
            query,
            filters: asked,
            perPage: asked.per_page,
            cursor: asked.scan_cursor,
            signal,
          })
        : await searchSessions(app, { query, filters: asked, page: { page: asked.page, perPage: asked.per_page } }),
    )
  },
})
