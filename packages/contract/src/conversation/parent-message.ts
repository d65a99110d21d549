import { z } from 'zod'
import { flag } from '../flag.ts'
import { Id } from '../identifiers.ts'
import { Session } from '../sessions/fields.ts'

export const parentMessageReasons = ['wrong_scope', 'missing_tools', 'other'] as const
export type ParentMessageReason = (typeof parentMessageReasons)[number]

/** What is missing or too long is refused by the operation, under its own label. */
export const ParentMessage = z.object({
  message: z
    .string()
    .nullish()
    .meta({ description: 'What the child has to say. Required. It reaches the parent as a quotation, framed by us.' }),
  reason: z
    .string()
    .nullish()
    .meta({ enum: [...parentMessageReasons], description: 'Why it speaks up. Required.' }),
  force_immediate: flag.meta({ description: 'Whether to take the place of a turn the parent is in.' }),
  unarchive_parent: flag.meta({ description: 'Whether to restore a parent that is archived, and then deliver.' }),
})

export type ParentMessage = z.infer<typeof ParentMessage>

export const DeliveredParentMessage = z.object({
  parent_session: Session,
  delivery: z
    .enum(['sent', 'queued', 'interrupted'])
    .meta({ description: '`queued` while a turn of the parent is underway; `interrupted` with `force_immediate`.' }),
  unarchived_parent: z.boolean().meta({ description: 'Whether the parent was restored for it.' }),
  message: z.string().meta({ description: 'What happened, in words.' }),
})

export const QueuedParentMessage = DeliveredParentMessage.extend({
  enqueued_message: z
    .object({
      id: Id,
      position: z.int().meta({ description: 'Its place in the queue, from 1.' }),
      status: z.enum(['pending', 'processing', 'sent', 'undelivered']).meta({ description: 'What became of it.' }),
    })
    .meta({ description: 'The message that waits in the queue of the parent.' }),
})
