import { z } from 'zod'
import { flag } from '../flag.ts'
import { Id } from '../identifiers.ts'
import { Session } from '../sessions/fields.ts'

export const parentMessageReasons = ['wrong_scope', 'missing_tools', 'other'] as const
export type ParentMessageReason = (typeof parentMessageReasons)[number]

/** The operation refuses a missing message or reason, after it has found the child. */
export const ParentMessage = z.object({
  message: z
    .string()
    .nullish()
    .meta({ description: 'The report of the child. Required. The parent receives it as a quotation.' }),
  reason: z
    .string()
    .nullish()
    .meta({ enum: [...parentMessageReasons], description: 'Why it reports. Required.' }),
  force_immediate: flag.meta({ description: 'Whether to replace a turn of the parent that is underway.' }),
  unarchive_parent: flag.meta({ description: 'Whether to restore an archived parent first.' }),
})

export type ParentMessage = z.infer<typeof ParentMessage>

export const DeliveredParentMessage = z.object({
  parent_session: Session,
  delivery: z
    .enum(['sent', 'queued', 'interrupted'])
    .meta({ description: '`queued` while a turn of the parent is underway; `interrupted` with `force_immediate`.' }),
  unarchived_parent: z.boolean().meta({ description: 'Whether the parent was restored first.' }),
  message: z.string().meta({ description: 'What happened, in words.' }),
})

export const QueuedParentMessage = DeliveredParentMessage.extend({
  enqueued_message: z
    .object({
      id: Id,
      position: z.int().meta({ description: 'Its place in the queue, from 1.' }),
      status: z.enum(['pending', 'processing', 'sent', 'undelivered']).meta({ description: 'Its status.' }),
    })
    .meta({ description: 'The message that waits in the queue of the parent.' }),
})
