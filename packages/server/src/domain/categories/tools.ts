import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'manage_categories',
    groups: ['sessions'],
    about: 'See and change the categories of sessions.',
    calls: {
      list: { endpoint: 'GET /categories' },
      create: { endpoint: 'POST /categories' },
      update: { endpoint: 'PATCH /categories/{id}' },
      delete: { endpoint: 'DELETE /categories/{id}' },
      reorder: { endpoint: 'POST /categories/reorder' },
    },
  },
]
