import { act, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'action_session',
    groups: ['sessions', 'self_session'],
    calls: { set_heartbeat: act('PATCH /sessions/{id}/heartbeat') },
  },
]
