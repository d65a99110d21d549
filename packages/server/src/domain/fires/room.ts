import { fireOutcomes, fireSources } from '@yardmaster/contract/fires/fields'
import { prune, type Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { fireDueSchedules } from './fire-due-schedules.ts'
import { claimedDays, deleteOldClaims } from './fire-store.ts'
import { tools } from './tools.ts'

export const fires: Room = {
  name: 'fires',
  endpoints,
  tools,
  nameSeries: ({ fires: counter }) => {
    for (const by of fireSources) for (const outcome of fireOutcomes) counter.inc({ by, outcome }, 0)
  },
  periodic: [
    {
      name: 'fire_due_schedules',
      queue: 'triggers',
      // How late a schedule may be.
      intervalMs: 1000,
      // Not by a lease, which a host that died would hold for longer than a schedule may be late.
      runs: 'every_host',
      run: fireDueSchedules,
    },
    prune({
      name: 'forget_old_fires',
      keeps: { days: claimedDays },
      deleteSome: ({ db }, slice) => deleteOldClaims(db, slice),
    }),
  ],
}
