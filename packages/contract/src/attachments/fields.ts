import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { sentAsText } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

export const Attachment = z
  .object({
    id: z.string().meta({ description: 'A random id.', examples: ['5f1d3c9a7be04f26a1c8d0e2'] }),
    name: z.string().meta({ description: 'The name of the file, as the agent sees it.', examples: ['screenshot.png'] }),
    reference: z.string().meta({
      description: 'What a prompt names it by. The agent gets the path of the file instead.',
      examples: ['attachment:5f1d3c9a7be04f26a1c8d0e2/screenshot.png'],
    }),
    size_bytes: z.int().meta({ description: 'How large the file is.' }),
    session_id: Id.nullable().meta({ description: 'The session that keeps it: the first whose prompt names it.' }),
    created_at: Timestamp.meta({ description: 'When it was uploaded.' }),
  })
  .meta({ id: 'Attachment' })

export type Attachment = z.infer<typeof Attachment>

const content = z.string().meta({ description: 'The bytes of the file, in base64.', examples: ['aGVsbG8K'] })

export const NewAttachment = z.object({
  name: text(limits.attachment.name, { from: z.string().trim().min(1, "can't be blank") }).meta({
    description: 'The name of the file. Signs that a reference cannot carry become dashes.',
    examples: ['screenshot.png'],
  }),
  content: content.min(1, "can't be blank"),
})

export type NewAttachment = z.infer<typeof NewAttachment>

/** Anything but an id names no file, so it answers 404. */
export const AttachmentId = sentAsText<string>(z.string().min(1)).meta({
  description: 'The id of an attachment.',
  examples: ['5f1d3c9a7be04f26a1c8d0e2'],
})

export const AttachmentWithContent = z.object({ attachment: Attachment, content })
