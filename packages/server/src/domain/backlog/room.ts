import type { Room } from '../app.ts'
import { checkIssues } from './check-issues.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'

export const backlog: Room = {
  name: 'backlog',
  endpoints,
  tools,
  periodic: [
    { name: 'check_backlog_issues', queue: 'pollers', intervalMs: 60_000, runs: 'one_host', run: checkIssues },
  ],
}
