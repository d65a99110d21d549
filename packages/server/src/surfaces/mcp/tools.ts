import type { Call, Tool } from './tool.ts'

type Address = Call['endpoint']

/** Fields that identify a session in a list or after a change. */
const brief = ['id', 'slug', 'title', 'status', 'agent_runtime', 'scheduling_class', 'category', 'updated_at']

/** A call on the session that the argument `session_id` names. */
function onSession(endpoint: Address, more: Omit<Call, 'endpoint'> = {}): Call {
  return { endpoint, ...more, from: { id: 'session_id', ...more.from } }
}

/** A call that changes a session and shows the result. */
function act(endpoint: Address, more: Omit<Call, 'endpoint'> = {}): Call {
  return onSession(endpoint, { brief, ...more })
}

/** A call that changes some fields of a session. */
function change(...takes: string[]): Call {
  return act('PATCH /sessions/{id}', { takes })
}

const messages = '/sessions/{session_id}/enqueued_messages'
const message = { from: { id: 'message_id' } }

const changeOwnSession = {
  update_title: change('title'),
  update_notes: act('PATCH /sessions/{id}/notes'),
  set_heartbeat: act('PATCH /sessions/{id}/heartbeat'),
  // A child must not see its parent's session.
  message_parent: onSession('POST /sessions/{id}/message_parent', {
    shows: ['delivery', 'message', 'unarchived_parent', 'enqueued_message'],
  }),
  archive: act('POST /sessions/{id}/archive'),
} satisfies Tool['calls']

/** All tools. Each action is an endpoint of the API, which defines its arguments and refusals. */
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
  {
    name: 'get_session',
    groups: ['sessions', 'sessions_readonly', 'self_session'],
    about: 'One session with its place in the hierarchy, what people said to it, and the head of its queue.',
    choose: () => 'show',
    calls: {
      show: {
        endpoint: 'GET /sessions/{id}',
        takes: [],
        also: {
          queue: {
            endpoint: `GET ${messages}`,
            from: { session_id: 'id' },
            takes: [],
            fixed: { status: 'pending', per_page: '5' },
            cut: 120,
          },
          transcript: {
            endpoint: 'GET /sessions/{id}/transcript',
            when: 'include_transcript',
            from: { format: 'transcript_format' },
            defaults: { format: 'text' },
          },
          logs: {
            endpoint: 'GET /sessions/{session_id}/logs',
            when: 'include_logs',
            from: { session_id: 'id', page: 'logs_page', per_page: 'logs_per_page' },
            takes: ['page', 'per_page'],
          },
          subagent_transcripts: {
            endpoint: 'GET /sessions/{session_id}/subagent_transcripts',
            when: 'include_subagent_transcripts',
            from: { session_id: 'id', page: 'transcripts_page', per_page: 'transcripts_per_page' },
            takes: ['page', 'per_page'],
          },
        },
      },
    },
  },
  {
    name: 'get_session_provenance',
    groups: ['sessions', 'sessions_readonly', 'self_session'],
    about: 'Where a session comes from: its hierarchy and what people said along it.',
    choose: () => 'show',
    calls: {
      show: onSession('GET /sessions/{id}', {
        takes: [],
        shows: ['session_hierarchy', 'human_messages', 'human_message_capture_gaps'],
        isWhole: true,
      }),
    },
  },
  {
    name: 'get_configs',
    groups: ['sessions', 'sessions_readonly', 'self_session'],
    about: 'What sessions can be given: agent roots, MCP servers and whether they can start, models, goals.',
    choose: () => 'show',
    calls: { show: { endpoint: 'GET /configs' } },
  },
  {
    name: 'start_session',
    groups: ['sessions'],
    about: 'Start a session, on an agent root of the catalog or on any repository.',
    choose: () => 'start',
    calls: {
      start: {
        endpoint: 'POST /sessions',
        brief,
        from: { catalog_skills: 'skills', catalog_hooks: 'hooks', catalog_plugins: 'plugins' },
      },
    },
  },
  {
    name: 'action_session',
    groups: ['sessions'],
    about: 'Do something with a session.',
    calls: {
      follow_up: act('POST /sessions/{id}/follow_up'),
      pause: act('POST /sessions/{id}/pause'),
      sleep: act('POST /sessions/{id}/sleep'),
      restart: act('POST /sessions/{id}/restart'),
      unarchive: act('POST /sessions/{id}/unarchive'),
      ...changeOwnSession,
      change_model: act('PATCH /sessions/{id}/model'),
      change_mcp_servers: act('PATCH /sessions/{id}/mcp_servers', { closedTo: 'bound' }),
      change_skills: act('PATCH /sessions/{id}/catalog_skills', { from: { catalog_skills: 'skills' } }),
      change_hooks: act('PATCH /sessions/{id}/catalog_hooks', { from: { catalog_hooks: 'hooks' } }),
      change_plugins: act('PATCH /sessions/{id}/catalog_plugins', {
        closedTo: 'bound',
        from: { catalog_plugins: 'plugins' },
      }),
      change_goal: change('goal'),
      change_scheduling_class: change('scheduling_class'),
      change_precedence: change('precedence', 'place'),
      change_category: act('PATCH /sessions/{id}/set_category'),
      set_visibility: act('PATCH /sessions/{id}/visibility'),
      toggle_favorite: act('POST /sessions/{id}/toggle_favorite'),
      // A fork has no parent, so the agent that created it could not reach it.
      fork: act('POST /sessions/{id}/fork', { closedTo: 'agents' }),
      regenerate_status_summary: act('POST /sessions/{id}/regenerate_status_summary'),
      refresh: act('POST /sessions/{id}/refresh'),
      refresh_all: { endpoint: 'POST /sessions/refresh_all' },
      bulk_archive: { endpoint: 'POST /sessions/bulk_archive' },
    },
  },
  {
    name: 'action_session',
    groups: ['self_session'],
    about: 'Do something with your own session.',
    calls: changeOwnSession,
  },
  {
    name: 'manage_enqueued_messages',
    groups: ['sessions'],
    about: 'See and change the queued messages of a session.',
    calls: {
      list: { endpoint: `GET ${messages}`, defaults: { status: 'pending' } },
      get: { endpoint: `GET ${messages}/{id}`, ...message },
      create: { endpoint: `POST ${messages}` },
      update: { endpoint: `PATCH ${messages}/{id}`, ...message },
      delete: { endpoint: `DELETE ${messages}/{id}`, ...message },
      reorder: { endpoint: `PATCH ${messages}/{id}/reorder`, ...message },
      interrupt: { endpoint: `POST ${messages}/{id}/interrupt`, ...message },
    },
  },
  {
    name: 'manage_categories',
    groups: ['sessions'],
    about: 'See and change the categories of sessions.',
    calls: {
      list: { endpoint: 'GET /categories' },
      create: { endpoint: 'POST /categories' },
      update: { endpoint: 'PATCH /categories/{id}' },
      delete: { endpoint: 'DELETE /categories/{id}' },
      reorder: { endpoint: 'POST /categories/reorder' },
      set_session_category: act('PATCH /sessions/{id}/set_category'),
    },
  },
]
