import { defineSubscription, type Room } from '../app.ts'
import { sessionStatusChanged } from '../sessions/events.ts'
import { giveTitle, titleOverdueSessions } from './give-title.ts'

const statusesAtRest = ['needs_input', 'failed', 'archived']

const titleAtRest = defineSubscription({
  name: 'title_sessions_at_rest',
  queue: 'inference',
  startsAt: 'now',
  to: [sessionStatusChanged],
  handle: async (app, tx, { sessionId, payload }) => {
    if (sessionId !== null && statusesAtRest.includes(payload.to)) await giveTitle(app, tx, sessionId)
  },
})

export const titles: Room = {
  name: 'titles',
  subscriptions: [titleAtRest],
  periodic: [
    {
      // For sessions whose first turn goes on past the time limit: no event marks that moment.
      name: 'title_overdue_sessions',
      queue: 'inference',
      intervalMs: 30_000,
      runs: 'one_host',
      run: titleOverdueSessions,
    },
  ],
}
