import type { App, Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { fireDueSchedules } from './fire-due-schedules.ts'
import { fireSessionEventJob } from './fire-session-event-job.ts'
import { deleteOldClaims } from './fire-store.ts'
import { fireTriggerJob } from './fire-trigger-job.ts'
import { runFire } from './run-fire.ts'
import { fireSessionEvent, watchSessions } from './session-events.ts'
import { tools } from './tools.ts'
import { deleteSpentTriggers } from './trigger-store.ts'

export const triggers: Room = {
  name: 'triggers',
  endpoints,
  tools,
  jobs: [fireTriggerJob, fireSessionEventJob],
  handlers: [runFire, fireSessionEvent],
  subscriptions: [watchSessions],
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
    {
      name: 'forget_old_fires',
      queue: 'maintenance',
      intervalMs: 3_600_000,
      runs: 'one_host',
      run: async ({ db }: App) => {
        await deleteOldClaims(db)
        await deleteSpentTriggers(db)
        return 'done'
      },
    },
  ],
}
