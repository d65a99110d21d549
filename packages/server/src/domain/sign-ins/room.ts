import { prune, type Room } from '../app.ts'
import { forPeople } from './endpoints.ts'
import { signInDays } from './sign-in.ts'
import { deleteOldLinks, deleteOldSignIns } from './sign-in-store.ts'

export const signIns: Room = {
  name: 'sign-ins',
  forPeople,
  periodic: [
    prune({
      name: 'prune_sign_ins',
      keeps: { days: signInDays },
      deleteSome: ({ db }, slice) => deleteOldSignIns(db, slice),
    }),
    // A link that expired is refused for that, so its use need not be remembered.
    prune({
      name: 'prune_sign_in_links',
      keeps: { days: 1 },
      deleteSome: ({ db }, slice) => deleteOldLinks(db, slice),
    }),
  ],
}
