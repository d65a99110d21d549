import { act, onSession, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'action_session',
    groups: ['sessions', 'self_session'],
    calls: {
      // A child must not see its parent's session.
      message_parent: onSession('POST /sessions/{id}/message_parent', {
        shows: ['delivery', 'message', 'unarchived_parent', 'enqueued_message'],
      }),
    },
  },
  {
    name: 'action_session',
    groups: ['sessions'],
    calls: { follow_up: act('POST /sessions/{id}/follow_up') },
  },
  {
    name: 'manage_enqueued_messages',
    groups: ['sessions'],
    calls: {
      interrupt: {
        endpoint: 'POST /sessions/{session_id}/enqueued_messages/{id}/interrupt',
        from: { id: 'message_id' },
        needs: 'force_immediate',
      },
    },
  },
]
