import { z } from 'zod'
import { uncategorized } from '../categories/fields.ts'
import { Id, SessionRef } from '../identifiers.ts'
import { OneSession } from '../lifecycle/fields.ts'
import { limits } from '../limits.ts'
import { asWritten, optionallySent, refuseField, sent } from '../sent.ts'
import { type Visibility, visibilities } from '../sessions/fields.ts'
import { isAtMost } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

export const NotesChange = z.object({
  session_notes: sent<string | null>()
    .transform((value, context): string | null => {
      if (value === undefined) return refuseField(context, 'missing_parameter', 'session_notes is required')
      if (value === null || value === '') return null
      if (typeof value !== 'string') return refuseField(context, 'validation_failed', 'Session notes must be a string')
      if (isAtMost(value, limits.sessionNotes)) return value
      const maximum = limits.sessionNotes.toLocaleString('en-US')
      return refuseField(context, 'notes_too_long', `Notes are too long (maximum ${maximum} characters)`)
    })
    .meta({
      type: ['string', 'null'],
      maxLength: limits.sessionNotes,
      description: 'Free notes; an empty string clears them. Required.',
    }),
  replaces: optionallySent<string | null>()
    .transform((value, context): string | null | undefined => {
      if (value === undefined || value === null || typeof value === 'string') return value === '' ? null : value
      return refuseField(context, 'validation_failed', 'Replaces must be a string')
    })
    .meta({
      type: ['string', 'null'],
      description:
        'The notes as the caller read them. If they have changed since, the request is refused. Absent: they are replaced.',
    }),
})

export const ChangedNotes = OneSession.extend({
  session_notes_updated_at: Timestamp.nullable().meta({ description: 'When the notes last changed.' }),
})

/** A category by its id, with the text the caller wrote for it. Null is Uncategorized; id 0 finds nothing. */
export type CategoryRef = { id: number; written: string } | null

const categoryChoice = optionallySent<number | string | null>()
  .transform((value): CategoryRef => {
    const isBlank = typeof value === 'string' && value.trim() === ''
    if (value === undefined || value === null || value === uncategorized || isBlank) return null
    return { id: wholeNumber(value) ?? 0, written: asWritten(value) }
  })
  .meta({ type: ['integer', 'string', 'null'], examples: [3] })

export const CategoryChoice = z.object({
  category_id: categoryChoice.meta({ description: 'The category; blank or absent is Uncategorized.' }),
})

export const ToggledFavorite = OneSession.extend({
  favorited: z.boolean().meta({ description: 'Whether it sorts to the top of the board now.' }),
})

export const VisibilityChange = z.object({
  visibility: sent<Visibility>()
    .transform((value, context): Visibility => {
      const known = visibilities.find((candidate) => candidate === value)
      if (known) return known
      const written = JSON.stringify(value ?? '')
      const sentence = `Unknown visibility ${written}. Valid values: ${visibilities.join(', ')}.`
      return refuseField(context, 'visibility_update_failed', sentence)
    })
    .meta({
      type: 'string',
      enum: ['visible', 'hidden', 'snoozed'],
      description: 'The choice for the board. Required.',
    }),
  snoozed_until: optionallySent<string | null>()
    .transform((value) => (value === undefined || value === null || value === '' ? undefined : asWritten(value)))
    .meta({
      type: 'string',
      description:
        'When a snooze ends, as local time in `timezone`: `2026-09-05T08:00`. A time that a clock change skips moves forward; of one that occurs twice the first counts.',
      examples: ['2026-09-05T08:00'],
    }),
  timezone: optionallySent<string | null>()
    // A value that is no string is no time zone; only a snooze looks at it and refuses it.
    .transform((value) => (value === undefined || value === null ? '' : asWritten(value)))
    .transform((name) => name || 'UTC')
    .meta({ type: 'string', default: 'UTC', description: 'An IANA name.', examples: ['Europe/Berlin'] }),
})

export const CardOrder = z.object({
  ids: optionallySent<readonly (number | string)[] | null>()
    .transform((value): number[] => (Array.isArray(value) ? value.flatMap((one) => wholeNumber(one) ?? []) : []))
    .meta({
      type: 'array',
      items: { type: 'integer' },
      description: "One section's cards from top to bottom, normally one page. Others are ignored.",
      examples: [[12, 9, 4]],
    }),
  category_id: categoryChoice.meta({
    description: 'The section; absent, null or `"uncategorized"` is the Uncategorized one.',
  }),
  session_id: z
    .union([z.string(), z.int()])
    .nullish()
    .transform((value): SessionRef | undefined =>
      value === undefined || value === null || value === '' ? undefined : SessionRef.parse(String(value)),
    )
    .meta({ description: 'Only this card moves: its id or its slug.' }),
})

export const OrderedCards = z.object({
  category_id: Id.nullable().meta({ description: 'The section; null is Uncategorized.' }),
  session_ids: z.array(Id).meta({ description: 'The whole section, top to bottom.' }),
})
