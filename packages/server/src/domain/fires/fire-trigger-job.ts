import { fireSources } from '@yardmaster/contract/fires/fields'
import { z } from 'zod'
import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { TriggerEvent } from './event.ts'

const text = z.union([z.string(), z.number(), z.array(z.string())]).nullish()

const payload = z.object({
  triggerId: z.int(),
  event: z.object({
    key: z.string(),
    by: z.enum(fireSources),
    conditionId: z.int().nullable(),
    values: z.record(z.string(), text),
    occurredAt: z.string(),
    conversation: z.string().optional(),
    human: z.object({ authorKey: z.string(), roomName: z.string().optional(), content: z.string() }).optional(),
    ifNotFired: z.enum(['lost', 'retry']),
  }),
})

export type FirePayload = z.infer<typeof payload>

/** Fires a trigger for an event that a poller or a webhook saw. */
export const fireTriggerJob = defineJob({ name: 'fire_trigger', queue: 'triggers', payload, attempts: 8 })

/**
 * Enqueued in the transaction that moves a cursor or accepts a delivery: the event fires exactly once, because the job runs
 * until the fire that claims the event has committed.
 */
export async function enqueueFire(
  tx: Transaction,
  triggerId: number,
  event: TriggerEvent,
  { delayMs = 0 }: { delayMs?: number } = {},
): Promise<void> {
  const { key, by, conditionId, values, occurredAt, conversation, human, ifNotFired } = event
  await enqueue(
    tx,
    fireTriggerJob,
    {
      triggerId,
      event: {
        key,
        by,
        conditionId,
        values: values as FirePayload['event']['values'], // a readonly list is written like any other
        occurredAt: occurredAt.toISOString(),
        ...(conversation !== undefined && { conversation }),
        ...(human && { human }),
        ifNotFired,
      },
    },
    { key: `${fireTriggerJob.name}:${triggerId}:${key}`, delayMs },
  )
}
