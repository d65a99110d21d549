import { z } from 'zod'
import { ActingSessionId } from '../acting-session.ts'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { refuseField, sent } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

export const messageStatuses = ['pending', 'processing', 'sent', 'undelivered'] as const
export const messageOrigins = [
  'caller',
  'automated_pr_merged',
  'automated_merge_conflict',
  'automated_recovery_nudge',
] as const

const position = z.int().min(1).meta({ description: 'Its place in the queue, from 1; a sent one keeps its last.' })
const status = z.enum(messageStatuses).meta({ description: 'Its status.' })

export const EnqueuedMessage = z
  .object({
    id: Id,
    session_id: Id.meta({ description: 'The session it waits for.' }),
    content: z.string().meta({ description: 'The text that the agent receives.' }),
    goal: z.string().nullable().meta({ description: 'The goal it sets when it is delivered; null leaves it alone.' }),
    position,
    status,
    origin: z.enum(messageOrigins).meta({ description: 'Who wrote it. Given by the service.' }),
    created_at: Timestamp.meta({ description: 'When it was queued.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'EnqueuedMessage' })

export type EnqueuedMessage = z.infer<typeof EnqueuedMessage>

/** A message that a call queued besides its main effect. */
export const QueuedMessage = z
  .object({ id: Id, position, status })
  .meta({ description: 'The message that waits in the queue.' })

const content = text(limits.prompt, { wording: 'long', from: z.string().trim() })

const goal = text(limits.goal, { wording: 'long', from: z.string().trim() })
  .nullable()
  .transform((value) => value || null)
  .meta({ type: ['string', 'null'], maxLength: limits.goal })

export const NewEnqueuedMessage = z.object({
  content: content
    .nullish()
    .transform((value, context) => value || refuseField(context, 'missing_parameter', 'content is required'))
    .meta({
      type: ['string', 'null'],
      maxLength: limits.prompt,
      description: 'The text that the agent is to receive. Required.',
    }),
  goal: goal.optional().meta({ description: 'The goal from then on; blank or absent leaves it alone.' }),
  acting_session_id: ActingSessionId,
})

export const EnqueuedMessageChanges = z.object({
  content: content
    .refine((value) => value !== '', { message: "can't be blank" })
    .optional()
    .meta({ description: 'The text that the agent is to receive.' }),
  goal: goal.optional().meta({ description: 'The goal it sets when it is delivered; blank clears it.' }),
})

export const MessagePlace = z.object({
  position: sent<number | string>()
    .transform(
      (value, context) => wholeNumber(value) || refuseField(context, 'invalid_position', 'Position must be >= 1'),
    )
    .meta({ type: 'integer', minimum: 1, description: 'Its new place; past the end means the end.', examples: [1] }),
})

export const MessageInterrupt = z.object({ acting_session_id: ActingSessionId })

export const MessageFilters = z.object({
  status: z
    .string()
    .optional()
    .meta({ enum: [...messageStatuses], description: 'Only messages of this status.' }),
})
