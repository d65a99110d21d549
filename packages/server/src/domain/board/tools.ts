import { act, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'action_session',
    groups: ['sessions', 'self_session'],
    calls: { update_notes: act('PATCH /sessions/{id}/notes') },
  },
  {
    name: 'action_session',
    groups: ['sessions'],
    calls: {
      change_category: act('PATCH /sessions/{id}/set_category'),
      set_visibility: act('PATCH /sessions/{id}/visibility'),
      toggle_favorite: act('POST /sessions/{id}/toggle_favorite'),
    },
  },
  {
    name: 'manage_categories',
    groups: ['sessions'],
    calls: { set_session_category: act('PATCH /sessions/{id}/set_category') },
  },
]
