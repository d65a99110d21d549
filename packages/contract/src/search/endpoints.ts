import { defineEndpoint } from '../endpoint.ts'
import { FoundContents, FoundSessions, SessionSearch } from './fields.ts'

export const searchSessions = defineEndpoint({
  name: 'sessions.search',
  auth: 'api_key',
  method: 'GET',
  path: '/sessions/search',
  tag: 'Sessions',
  summary: 'Search sessions for a text',
  description:
    'Searches one literal phrase in the title, `metadata` and `custom_metadata`, and with `search_contents` in the stored transcript. A content search always answers within its time limit; when it is not `complete`, continue with its `next_cursor`.',
  query: SessionSearch,
  answers: { 200: [FoundSessions, FoundContents] },
  refusals: ['search_query_missing', 'search_query_too_long'],
})

export const endpoints = [searchSessions] as const
