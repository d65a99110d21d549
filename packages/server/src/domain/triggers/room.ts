import { prune, type Room } from '../app.ts'
import { cursorDays, deleteOldCursors } from './cursor-store.ts'
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
    prune({
      name: 'forget_spent_triggers',
      keeps: { days: 1 },
      deleteSome: ({ db }, slice) => deleteSpentTriggers(db, slice),
    }),
    prune({
      name: 'forget_old_cursors',
      keeps: { days: cursorDays },
      deleteSome: ({ db }, slice) => deleteOldCursors(db, slice),
    }),
  ],
}
