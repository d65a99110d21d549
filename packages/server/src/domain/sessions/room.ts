import type { Room } from '../app.ts'
import { sumUpCounts } from './count-store.ts'
import { endpoints } from './endpoints.ts'

export const sessions: Room = {
  name: 'sessions',
  endpoints,
  periodic: [
    {
      name: 'sum_up_session_counts',
      queue: 'maintenance',
      // A busy minute adds some hundred rows, which a list sums quickly.
      intervalMs: 60_000,
      runs: 'one_host',
      run: (app) => sumUpCounts(app.db),
    },
  ],
}
