import { prune, type Room } from '../app.ts'
import { deleteSomeTrashed, deleteUnclaimed } from './attachment-store.ts'
import { endpoints } from './endpoints.ts'

/** A file may have 10 MB: more of them in one statement would hold their locks for seconds. */
const fewFiles = 10

export const attachments: Room = {
  name: 'attachments',
  endpoints,
  periodic: [
    prune({
      name: 'prune_unclaimed_attachments',
      keeps: { days: 7 },
      deleteSome: ({ db }, slice) => deleteUnclaimed(db, slice),
      sliceRows: fewFiles,
    }),
    {
      name: 'delete_trashed_attachments',
      queue: 'maintenance',
      intervalMs: 10 * 60_000,
      runs: 'one_host',
      // On any host: the one that ran the session may be gone for good.
      run: async ({ db }) => ((await deleteSomeTrashed(db, fewFiles)) === fewFiles ? 'again' : 'done'),
    },
  ],
}
