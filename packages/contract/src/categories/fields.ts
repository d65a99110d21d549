import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { optionallySent } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

export const Category = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Its name, unique without regard to case.' }),
    description: z.string().nullable().meta({ description: 'What belongs in it; null when blank.' }),
    position: z.int().meta({ description: 'Its place on the board, lowest first; ties go by creation.' }),
    is_frozen: z.boolean().meta({
      description: 'A parked bucket: its sessions are left out of refresh-all and of recovery.',
    }),
    session_count: z.int().meta({ description: 'Sessions in it, archived ones included.' }),
    created_at: Timestamp.meta({ description: 'When it was made.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'Category' })

export type Category = z.infer<typeof Category>

const name = text(limits.categoryName, { from: z.string().trim().min(1, "can't be blank") }).meta({
  description: 'A name, unique without regard to case.',
  examples: ['Upkeep'],
})

const description = text(limits.categoryDescription, { from: z.string().trim() })
  .nullable()
  .transform((value) => value || null)
  .meta({
    type: ['string', 'null'],
    description: 'What belongs in it; blank is null.',
    maxLength: limits.categoryDescription,
  })

const isFrozen = z.boolean().meta({ description: 'Whether the category is a parked bucket.' })

export const NewCategory = z.object({ name, description: description.optional(), is_frozen: isFrozen.optional() })
export const CategoryChanges = NewCategory.partial()

export type NewCategory = z.infer<typeof NewCategory>
export type CategoryChanges = z.infer<typeof CategoryChanges>

/** The Uncategorized section in an order of categories; its position is a setting, not a row. */
export const uncategorized = 'uncategorized'

/** Entries that are neither an id nor the sentinel are dropped before counting, so positions stay contiguous. */
export const CategoryOrder = z.object({
  ids: z
    .array(optionallySent<number | string>())
    .nullish()
    .transform((entries) => (entries ?? []).flatMap(readOrderEntry))
    .meta({
      type: 'array',
      items: { type: ['integer', 'string'] },
      description: 'Category ids from top to bottom; `"uncategorized"` stands for the Uncategorized section.',
      examples: [[5, 'uncategorized', 3]],
    }),
})

export type CategoryOrder = z.infer<typeof CategoryOrder>

function readOrderEntry(entry: unknown): (number | typeof uncategorized)[] {
  if (entry === uncategorized) return [uncategorized]
  const id = wholeNumber(entry)
  return id ? [id] : []
}
