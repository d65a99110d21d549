import { z } from 'zod'
import { ActingSessionId } from '../acting-session.ts'
import { flag } from '../flag.ts'
import { QueuedMessage } from '../inbox/fields.ts'
import { Session } from '../sessions/fields.ts'
import { Timestamp } from '../timestamp.ts'

/** What is missing or too long is refused by the operation, in the words clients know. */
export const FollowUp = z.object({
  prompt: z
    .string()
    .nullish()
    .meta({ description: 'What the agent is told next; at most 500,000 characters. Required.' }),
  goal: z
    .string()
    .nullish()
    .meta({ description: 'The goal from now on; at most 50,000 characters. Blank or absent leaves it alone.' }),
  force_immediate: flag.meta({ description: 'Whether to take the place of a turn that is underway.' }),
  acting_session_id: ActingSessionId,
})

export type FollowUp = z.infer<typeof FollowUp>

const PendingWake = z
  .object({
    at: Timestamp.nullable().meta({ description: 'When it fires; null for one that watches a session.' }),
    preserved: z.literal(true).meta({ description: 'It stays armed: a follow-up cancels no wake.' }),
  })
  .meta({ description: 'A one-time wake that is armed for the session. Absent when there is none.' })

export type PendingWake = z.infer<typeof PendingWake>

export const DeliveredFollowUp = z.object({
  session: Session,
  message: z.string().meta({ description: 'What happened, in words.' }),
  pending_wake: PendingWake.optional(),
})

export const QueuedFollowUp = DeliveredFollowUp.extend({ enqueued_message: QueuedMessage })
