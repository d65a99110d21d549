import { act, brief, type Call, type Tool } from '../tool.ts'

/** A call that changes some fields of a session. */
function change(...takes: string[]): Call {
  return act('PATCH /sessions/{id}', { takes })
}

const onOwnSession = {
  update_title: change('title'),
  archive: act('POST /sessions/{id}/archive'),
} satisfies Tool['calls']

export const tools: readonly Tool[] = [
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
            endpoint: 'GET /sessions/{session_id}/enqueued_messages',
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
      ...onOwnSession,
      pause: act('POST /sessions/{id}/pause'),
      sleep: act('POST /sessions/{id}/sleep'),
      restart: act('POST /sessions/{id}/restart'),
      unarchive: act('POST /sessions/{id}/unarchive'),
      change_model: act('PATCH /sessions/{id}/model'),
      change_mcp_servers: act('PATCH /sessions/{id}/mcp_servers', { closedTo: 'bound' }),
      change_skills: act('PATCH /sessions/{id}/catalog_skills', {
        closedTo: 'bound',
        from: { catalog_skills: 'skills' },
      }),
      change_hooks: act('PATCH /sessions/{id}/catalog_hooks', { closedTo: 'bound', from: { catalog_hooks: 'hooks' } }),
      change_plugins: act('PATCH /sessions/{id}/catalog_plugins', {
        closedTo: 'bound',
        from: { catalog_plugins: 'plugins' },
      }),
      change_goal: change('goal'),
      change_scheduling_class: { ...change('scheduling_class'), closedTo: 'bound' },
      change_precedence: change('precedence', 'place'),
      // A fork has no parent, so the agent that created it could not reach it.
      fork: act('POST /sessions/{id}/fork', { closedTo: 'agents' }),
      refresh: act('POST /sessions/{id}/refresh'),
      refresh_all: { endpoint: 'POST /sessions/refresh_all' },
      bulk_archive: { endpoint: 'POST /sessions/bulk_archive' },
    },
  },
  {
    name: 'action_session',
    groups: ['self_session'],
    about: 'Do something with your own session.',
    calls: onOwnSession,
  },
]
