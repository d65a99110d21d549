import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'get_costs',
    groups: ['health', 'health_readonly'],
    about: 'See what model calls cost: in all, by day, root, model and session.',
    choose: () => 'show',
    calls: {
      show: {
        endpoint: 'GET /costs',
        takes: ['days', 'agent_root', 'session_id'],
        needs: 'see_operations',
        decidesByAgent: true,
      },
    },
  },
]
