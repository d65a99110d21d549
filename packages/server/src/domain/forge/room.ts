import { deleteOldDeliveries } from '../../platform/webhooks/delivery-store.ts'
import { prune, type Room } from '../app.ts'
import { checkConditions } from './check-conditions.ts'
import { checkConditionsJob } from './check-conditions-job.ts'
import { endpoints } from './endpoints.ts'
import { pollForge } from './poll-forge.ts'
import { receiveForgeEvent } from './receive-forge-event.ts'
import { receiveForgeEventJob } from './receive-forge-event-job.ts'

export const forge: Room = {
  name: 'forge',
  endpoints,
  jobs: [receiveForgeEventJob, checkConditionsJob],
  handlers: [receiveForgeEvent, checkConditions],
  cron: [{ schedule: '35 * * * *', job: checkConditionsJob }],
  periodic: [
    { name: 'poll_forge', queue: 'pollers', intervalMs: 60_000, runs: 'one_host', run: pollForge },
    prune({
      name: 'forget_old_deliveries',
      keeps: { days: 30 },
      deleteSome: ({ db }, slice) => deleteOldDeliveries(db, slice),
    }),
  ],
}
