import { prune, type Room } from '../app.ts'
import { deleteUnclaimed } from './attachment-store.ts'
import { endpoints } from './endpoints.ts'

export const attachments: Room = {
  name: 'attachments',
  endpoints,
  periodic: [
    prune({
      name: 'prune_unclaimed_attachments',
      keeps: { days: 7 },
      deleteSome: ({ db }, slice) => deleteUnclaimed(db, slice),
    }),
  ],
}
