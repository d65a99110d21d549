import { prune, type Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { deleteOldLogs } from './log-store.ts'

export const logs: Room = {
  name: 'logs',
  endpoints,
  periodic: [
    prune({ name: 'prune_logs', keeps: 'logs', deleteSome: ({ db }, slice) => deleteOldLogs(db, slice) }),
    prune({
      name: 'prune_verbose_logs',
      keeps: 'verboseLogs',
      deleteSome: ({ db }, slice) => deleteOldLogs(db, slice, { isOnlyVerbose: true }),
    }),
  ],
}
