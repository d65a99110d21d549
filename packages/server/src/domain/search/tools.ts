import { brief, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'quick_search_sessions',
    groups: ['sessions', 'sessions_readonly'],
    about: 'Find sessions: by id, by a text, or the newest that meet the filters.',
    choose: ({ id = null, query = null }) => (id !== null ? 'one' : query !== null ? 'search' : 'list'),
    calls: {
      one: { endpoint: 'GET /sessions/{id}', takes: [], shows: ['session'], brief },
      search: {
        endpoint: 'GET /sessions/search',
        from: { q: 'query' },
        takes: [
          'q',
          'search_contents',
          'include_matches',
          'scan_cursor',
          'status',
          'agent_runtime',
          'priority_class',
          'genesis',
          'show_archived',
          'visibility',
          'page',
          'per_page',
        ],
        brief,
      },
      list: { endpoint: 'GET /sessions', brief },
    },
  },
]
