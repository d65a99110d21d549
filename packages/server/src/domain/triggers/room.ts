import type { App, Room } from '../app.ts'
import { deleteOldCursors } from './cursor-store.ts'
import { endpoints } from './endpoints.ts'
import { fireSessionEventJob } from './session-event-job.ts'
import { tools } from './tools.ts'
import { deleteSpentTriggers } from './trigger-store.ts'

export const triggers: Room = {
  name: 'triggers',
  endpoints,
  tools,
  jobs: [fireSessionEventJob],
  periodic: [
    {
      name: 'forget_spent_triggers',
      queue: 'maintenance',
      intervalMs: 3_600_000,
      runs: 'one_host',
      run: async ({ db }: App) => {
        await deleteSpentTriggers(db)
        await deleteOldCursors(db)
        return 'done'
      },
    },
  ],
}
