import { sessionEvents } from '@yardmaster/contract/triggers/conditions'
import { z } from 'zod'
import type { Transaction } from '../../platform/db/database.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'

const payload = z.object({
  triggerId: z.int(),
  conditionId: z.int(),
  sessionId: z.int(),
  event: z.enum(sessionEvents),
  /** The same for every condition of a trigger that the event matches. */
  key: z.string(),
  /** The change of state that must still be the session's last one. Null fires in any case. */
  transitionId: z.int().nullable(),
})

export type SessionEventPayload = z.infer<typeof payload>

/** Fires a trigger because of what happened to a session. */
export const fireSessionEventJob = defineJob({ name: 'fire_session_event', queue: 'triggers', payload, attempts: 8 })

export async function enqueueSessionEvent(tx: Transaction, event: SessionEventPayload, delayMs = 0): Promise<void> {
  const key = `${fireSessionEventJob.name}:${event.conditionId}:${event.key}`
  await enqueue(tx, fireSessionEventJob, event, { key, delayMs })
}
