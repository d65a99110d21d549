import { onSession, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
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
]
