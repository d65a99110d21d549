import type { EventOf } from '../../platform/events/subscription.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { defineSubscription } from '../app.ts'
import { healthChanged, queuedJobsChanged, recoveryModeChanged } from '../queues/events.ts'
import { sendAlertJob } from './send-push-job.ts'
import { selectSubscriptionIds } from './subscription-store.ts'

const recoveryMode = {
  entered: 'Queue recovery mode is on: only turns run',
  extended: 'Queue recovery mode was extended: only turns run',
  exited: 'Queue recovery mode is off: all queues run again',
  expired: 'Queue recovery mode has expired: all queues run again',
}

const done = { discard: 'discarded', reschedule: 'moved to another time' }

const kinds = [recoveryModeChanged, queuedJobsChanged, healthChanged] as const

const health = { critical: 'Critical', recovered: 'No longer critical' }

/**
 * Tells every browser at once what was done to the queues, and when the service itself needs a person. A notification is always about a session, so none is made. Recovery mode
 * leaves this queue running.
 */
export const followOperations = defineSubscription({
  name: 'notifications.operations',
  queue: 'pushes',
  startsAt: 'now',
  to: kinds,
  handle: async (app, tx, event) => {
    const body = sentenceOf(event)
    const alert = {
      body,
      url: '/health-report',
      tag: `operations-${event.position}`,
      at: event.createdAt.toISOString(),
    }
    const subscriptions = await selectSubscriptionIds(tx, app.push.publicKey)
    await enqueueAll(
      tx,
      sendAlertJob,
      subscriptions.map((subscriptionId) => ({ subscriptionId, pauses: 0, ...alert })),
    )
  },
})

function sentenceOf(event: EventOf<(typeof kinds)[number]>): string {
  switch (event.name) {
    case 'recovery_mode.changed':
      return recoveryMode[event.payload.change]
    case 'queued_jobs.changed':
      return `${event.payload.affected} queued jobs were ${done[event.payload.action]}`
    case 'health.changed':
      return `${health[event.payload.change]}: ${event.payload.message}`
  }
}
