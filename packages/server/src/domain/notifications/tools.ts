import { onSession, type Tool } from '../tool.ts'

/** Reading and dismissing is for people: it is closed to agents, and to callers limited to some roots. */
const closed = { closedTo: 'bound' } as const

export const tools: readonly Tool[] = [
  {
    name: 'get_notifications',
    groups: ['notifications', 'notifications_readonly'],
    about: 'What people were told about sessions: one by id, or a list, newest first.',
    choose: ({ id }) => (id === undefined || id === null ? 'list' : 'show'),
    calls: {
      list: { endpoint: 'GET /notifications', ...closed },
      show: { endpoint: 'GET /notifications/{id}', ...closed },
    },
  },
  {
    name: 'send_push_notification',
    groups: ['notifications', 'self_session'],
    about: 'Tell people something about a session: it reaches their list and their devices.',
    choose: () => 'send',
    calls: { send: { endpoint: 'POST /notifications/push', session: 'session_id' } },
  },
  {
    name: 'action_notification',
    groups: ['notifications'],
    about: 'Mark notifications as read, or remove those that were read.',
    calls: {
      mark_read: { endpoint: 'PATCH /notifications/{id}/mark_read', ...closed },
      mark_all_read: { endpoint: 'PATCH /notifications/mark_all_read', ...closed },
      dismiss: { endpoint: 'DELETE /notifications/{id}/dismiss', ...closed },
      dismiss_all_read: { endpoint: 'DELETE /notifications/dismiss_all_read', ...closed },
    },
  },
  {
    name: 'action_session',
    groups: ['sessions'],
    // The switch is for people: an agent could silence what is said about it.
    calls: {
      toggle_push_notifications: onSession('POST /sessions/{id}/toggle_push_notifications', { closedTo: 'agents' }),
    },
  },
]
