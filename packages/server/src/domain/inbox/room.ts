import { prune, type Room } from '../app.ts'
import { admitTurnsJob } from './admit-turns-job.ts'
import { drainQueueJob } from './drain-queue-job.ts'
import { endpoints } from './endpoints.ts'
import { tools } from './tools.ts'
import { deleteOldTurns } from './turn-store.ts'

export const inbox: Room = {
  name: 'inbox',
  endpoints,
  tools,
  jobs: [admitTurnsJob, drainQueueJob],
  periodic: [prune({ name: 'prune_turns', keeps: 'turns', deleteSome: ({ db }, slice) => deleteOldTurns(db, slice) })],
}
