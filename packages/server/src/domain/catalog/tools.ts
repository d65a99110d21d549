import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'get_configs',
    groups: ['sessions', 'sessions_readonly', 'self_session'],
    about: 'What sessions can be given: agent roots, MCP servers and whether they can start, models, goals.',
    choose: () => 'show',
    calls: { show: { endpoint: 'GET /configs', also: { state: { endpoint: 'GET /catalog' } } } },
  },
]
