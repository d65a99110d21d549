import { z } from 'zod'
import { ActingSessionId } from '../acting-session.ts'
import { flag } from '../flag.ts'
import { QueuedMessage } from '../inbox/fields.ts'
import { limits } from '../limits.ts'
import { refuseField } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { isAtMost } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

/** Trimmed; null when blank. */
function trimmed(name: 'prompt' | 'goal') {
  return z
    .string()
    .nullish()
    .transform((input, context): string | null => {
      const value = input?.trim() || null
      if (value === null || isAtMost(value, limits[name])) return value
      const sentence = `${name} is too long (maximum ${limits[name]} characters)`
      return refuseField(context, 'validation_failed', sentence)
    })
}

export const FollowUp = z.object({
  prompt: trimmed('prompt')
    .transform((value, context) => value ?? refuseField(context, 'missing_parameter', 'prompt is required'))
    .meta({ description: 'The next prompt of the agent; at most 500,000 characters. Required.' }),
  goal: trimmed('goal').meta({
    description: 'The goal from now on; at most 50,000 characters. Blank or absent leaves it alone.',
  }),
  force_immediate: flag.meta({ description: 'Whether to replace a turn that is underway.' }),
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
