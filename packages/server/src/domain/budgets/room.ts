import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { enforceBudgets } from './enforce.ts'

export const budgets: Room = {
  name: 'budgets',
  endpoints,
  periodic: [
    {
      // Behind the check after each model call: for hosts that died before it, and for calls that no turn makes.
      name: 'enforce_budgets',
      queue: 'agents',
      intervalMs: 5000,
      runs: 'one_host',
      run: (app) => enforceBudgets(app, 'all'),
    },
  ],
}
