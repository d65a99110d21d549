import { act, type Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'action_session',
    groups: ['sessions'],
    calls: { regenerate_status_summary: act('POST /sessions/{id}/regenerate_status_summary') },
  },
]
