import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'action_trigger',
    groups: ['triggers'],
    calls: {
      invoke: { endpoint: 'POST /triggers/{id}/invoke', shows: ['message', 'delivery', 'burst_notice', 'session'] },
    },
  },
]
