import type { Result } from '../../shared/api/client.ts'

export type Budget = Result<'budgets.list'>['budgets'][number]

export function nameOfBudget({ scope, agent_root, session_id }: Budget): string {
  if (scope === 'agent_root') return `root ${agent_root}`
  return scope === 'session' ? `session ${session_id}` : 'the whole service'
}
