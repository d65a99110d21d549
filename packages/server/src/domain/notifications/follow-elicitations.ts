import { defineSubscription } from '../app.ts'
import { elicitationRaised, elicitationResolved } from '../elicitations/events.ts'
import { selectSessionForReference } from '../sessions/session.ts'
import { notificationsChanged } from './events.ts'
import { selectPendingQuestion, updateStaleByMarker } from './notification-store.ts'
import { notify } from './notify.ts'

/** Every question is announced once, over any restart, unless it was answered before that. */
export const followElicitations = defineSubscription({
  name: 'notifications.elicitation_events',
  queue: 'default',
  startsAt: 'now',
  to: [elicitationRaised, elicitationResolved],
  handle: async (app, tx, { name, sessionId, position, payload: { elicitation_id: id } }) => {
    const session = sessionId === null ? undefined : await selectSessionForReference(tx, { id: sessionId })
    if (!session) return
    const marker = `elicitation:${id}`
    if (name === 'elicitation.resolved') {
      const hasLeft = await updateStaleByMarker(tx, { sessionId: session.id, type: 'elicitation_pending', marker })
      if (hasLeft) await app.events.publish(tx, notificationsChanged, { sessionId: session.id, payload: {} })
      return
    }
    const question = await selectPendingQuestion(tx, id)
    if (!question) return
    await notify(app, tx, { session, type: 'elicitation_pending', body: question.message, marker, position })
  },
})
