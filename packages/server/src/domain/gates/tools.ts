import type { Tool } from '../tool.ts'

/** The ledger concerns no session, so an agent uses it only where its root allows that. */
const allowed = { needs: 'gate_decisions', decidesByAgent: true } as const

/** Not the values that a menu of a page offers. */
const shows = ['gate_decisions', 'pagination']

export const tools: readonly Tool[] = [
  {
    name: 'search_gate_decisions',
    groups: ['gate_decisions'],
    about: 'Find earlier decisions of gates, the latest first, or see one whole by its id.',
    choose: ({ id }) => (id === undefined || id === null ? 'search' : 'show'),
    calls: {
      show: { endpoint: 'GET /gate_decisions/{id}', ...allowed },
      search: { endpoint: 'GET /gate_decisions', shows, ...allowed },
    },
  },
  {
    name: 'get_gate_decision_feedback',
    groups: ['gate_decisions'],
    about: 'See the decisions that people commented on, with what they said.',
    choose: () => 'search',
    calls: {
      search: { endpoint: 'GET /gate_decisions', fixed: { with_human_feedback: 'true' }, shows, ...allowed },
    },
  },
  {
    name: 'record_gate_decision',
    groups: ['gate_decisions'],
    about: 'Record what a gate decided. A correction is another record about the same artifact.',
    choose: () => 'record',
    calls: {
      record: { endpoint: 'POST /gate_decisions', takes: ['gate', 'surface', 'entry'], ...allowed },
    },
  },
]
