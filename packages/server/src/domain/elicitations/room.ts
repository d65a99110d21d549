import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { sweep } from './sweep.ts'
import { tools } from './tools.ts'

export const elicitations: Room = {
  name: 'elicitations',
  endpoints,
  tools,
  periodic: [
    {
      name: 'close_overdue_elicitations',
      queue: 'maintenance',
      // How late an expiry may be that no one asks about.
      intervalMs: 15_000,
      runs: 'one_host',
      run: sweep,
    },
  ],
}
