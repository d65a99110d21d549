import type { Tool } from '../tool.ts'

const messages = '/sessions/{session_id}/enqueued_messages'
const message = { from: { id: 'message_id' } }

export const tools: readonly Tool[] = [
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
    },
  },
]
