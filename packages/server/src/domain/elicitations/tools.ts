import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'respond_to_elicitation',
    groups: ['sessions'],
    about: 'Answer a question of a session. An agent answers for sessions that it started, never for its own.',
    calls: {
      respond: { endpoint: 'PATCH /elicitations/{id}/respond', from: { id: 'request_id' }, decidesByAgent: true },
    },
    choose: () => 'respond',
  },
]
