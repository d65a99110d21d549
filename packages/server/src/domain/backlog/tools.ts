import type { Tool } from '../tool.ts'

/** The work backlog concerns no session, so an agent uses it only where its root allows that. */
const allowed = { needs: 'work_backlog', decidesByAgent: true } as const

/** Not the values that a menu of a page offers. */
const shows = ['work_backlog_items', 'pagination', 'counts', 'ranking']

/** The row of an item in a list. */
const brief = [
  ...['id', 'key', 'position', 'status', 'title', 'repo', 'surface', 'kind', 'estimated_cost', 'pinned', 'liveness'],
  ...['issue_url', 'started_session_id'],
]

/** Without `prompt`, `precedence`, `pinned` and `added_by`: an agent says what the work is, and not who asks or how. */
const taken = [
  ...['key', 'issue_url', 'repo', 'surface', 'title', 'kind', 'scope_direction', 'estimated_cost', 'ratings'],
  ...['gate_verdict', 'gate_session', 'decided_at', 'notes'],
]

export const tools: readonly Tool[] = [
  {
    name: 'get_work_backlog',
    groups: ['work_backlog'],
    about: 'See the queue of work that no session has started, in rank order, or one item of it by id or key.',
    choose: ({ id }) => (id === undefined || id === null ? 'list' : 'show'),
    calls: {
      show: { endpoint: 'GET /work_backlog_items/{id}', ...allowed },
      list: { endpoint: 'GET /work_backlog_items', shows, brief, ...allowed },
    },
  },
  {
    name: 'append_work_backlog_item',
    groups: ['work_backlog'],
    about: 'Queue an issue behind the others of its cost. Queueing a key twice changes nothing.',
    choose: () => 'append',
    calls: { append: { endpoint: 'POST /work_backlog_items', takes: taken, ...allowed } },
  },
  {
    name: 'pull_work_backlog_items',
    groups: ['work_backlog'],
    about: 'Start queued items, each in a session of its own, and take dead ones off the queue.',
    choose: () => 'pull',
    calls: { pull: { endpoint: 'POST /work_backlog_items/pull', ...allowed } },
  },
]
