import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'save_outcome_analysis',
    groups: ['sessions'],
    about: 'Save the analysis of an archived session: its transcript as a tree of segments with goals and outcomes.',
    choose: () => 'save',
    calls: {
      save: {
        endpoint: 'POST /outcome_analyses',
        session: 'session_id',
        takes: ['session_id', 'schema_version', 'root', 'notes'],
      },
    },
  },
]
