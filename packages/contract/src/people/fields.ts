import { z } from 'zod'
import { limits } from '../limits.ts'
import { sentAsText } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

export const Person = z
  .object({
    key: z.string().meta({ description: 'What their messages are recorded under.' }),
    display_name: z.string().meta({ description: 'Their name, as readers see it.' }),
    chat_user_id: z.string().nullable().meta({ description: 'Their user id on the chat platform.' }),
    is_admin: z.boolean().meta({ description: 'Whether they are a user of the dashboard.' }),
    created_at: Timestamp.meta({ description: 'When they were added.' }),
  })
  .meta({ id: 'Person' })

export type Person = z.infer<typeof Person>

const key = text(limits.personKey, {
  from: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower-case letters, digits, dots, dashes or underscores'),
}).meta({ description: 'A key that never changes.', examples: ['ada'] })

const displayName = text(limits.personName, { from: z.string().trim().min(1, "can't be blank") }).meta({
  description: 'Their name, as readers see it.',
  examples: ['Ada Lovelace'],
})

const chatUserId = text(limits.chatUserId, {
  from: z.string().regex(/^[A-Z][A-Z0-9]+$/, 'must be capital letters and digits, such as U012AB3CD'),
})
  .nullable()
  .meta({ description: 'Their user id on the chat platform; null removes it.', examples: ['U012AB3CD'] })

const isAdmin = z.boolean().meta({ description: 'Whether they are a user of the dashboard.' })

export const PersonChanges = z.object({
  display_name: displayName.optional(),
  chat_user_id: chatUserId.optional(),
  is_admin: isAdmin.optional(),
})

export const NewPerson = PersonChanges.extend({ key, display_name: displayName })

export type NewPerson = z.infer<typeof NewPerson>
export type PersonChanges = z.infer<typeof PersonChanges>

/** Any text: one that can be no key names no one. */
export const PersonKey = sentAsText<string>(z.string().min(1)).meta({
  description: 'The key of a person.',
  examples: ['ada'],
})
