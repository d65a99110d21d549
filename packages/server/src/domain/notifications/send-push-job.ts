import { z } from 'zod'
import type { Transaction } from '../../platform/db/database.ts'
import { enqueue, enqueueAll } from '../../platform/jobs/enqueue.ts'
import { defineJob, type Job } from '../../platform/jobs/job.ts'
import { isMuted } from './muted-store.ts'
import { selectSubscriptionIds } from './subscription-store.ts'

/** One push to one browser: a push service that fails holds up no other, and no other gets the push again. */
export const sendPushJob = defineJob({
  name: 'send_push_notification',
  queue: 'pushes',
  payload: z.object({
    notificationId: z.int(),
    subscriptionId: z.int(),
    /** How often the push service has asked us to wait. */
    pauses: z.int().default(0),
  }),
  // With the pauses between them, about half an hour.
  attempts: 8,
})

/** The same about the service itself, which no notification is about. */
export const sendAlertJob = defineJob({
  name: 'send_alert',
  queue: 'pushes',
  payload: z.object({
    subscriptionId: z.int(),
    body: z.string(),
    url: z.string(),
    tag: z.string(),
    at: z.string(),
    pauses: z.int().default(0),
  }),
  attempts: 8,
})

/** One push that waits for one browser. */
export type Waiting = { subscriptionId: number; pauses: number }

/** Tries again when the push service has asked us to. The key makes one job of it if the one that enqueues it runs twice. */
export async function enqueueLater<Push extends Waiting>(
  tx: Transaction,
  job: Job<Push>,
  push: Push,
  { topic, delaySeconds }: { topic: string; delaySeconds: number },
): Promise<void> {
  const key = `${job.name}:${topic}:${push.subscriptionId}`
  await enqueue(tx, job, { ...push, pauses: push.pauses + 1 }, { key, delayMs: delaySeconds * 1000 })
}

/** In the transaction that makes the notification. */
export async function enqueuePushes(
  tx: Transaction,
  { notificationId, sessionId, serverKey }: { notificationId: number; sessionId: number; serverKey: string },
): Promise<void> {
  if (await isMuted(tx, sessionId)) return
  const subscriptions = await selectSubscriptionIds(tx, serverKey)
  await enqueueAll(
    tx,
    sendPushJob,
    subscriptions.map((subscriptionId) => ({ notificationId, subscriptionId, pauses: 0 })),
  )
}
