import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { OneSession } from '../lifecycle/fields.ts'
import { limits } from '../limits.ts'
import { Timestamp } from '../timestamp.ts'

/**
 * What the small changes of a session's card take and answer. Most of it is read by the operation itself, which refuses it
 * in words and under labels that clients know.
 */

export const NotesChange = z.object({
  session_notes: z
    .unknown()
    .optional()
    .meta({
      type: ['string', 'null'],
      maxLength: limits.sessionNotes,
      description: 'Free notes; an empty string clears them. Required.',
    }),
})

export const ChangedNotes = OneSession.extend({
  session_notes_updated_at: Timestamp.nullable().meta({ description: 'When the notes last changed.' }),
})

export const HeartbeatChange = z.object({
  enabled: z
    .unknown()
    .optional()
    .meta({ type: 'boolean', description: 'Whether it is nudged while it rests; absent leaves it.' }),
  interval_seconds: z.unknown().optional().meta({
    type: 'integer',
    minimum: limits.heartbeatIntervalSeconds.min,
    maximum: limits.heartbeatIntervalSeconds.max,
    description: 'Seconds between nudges; absent leaves it.',
  }),
})

export const ChangedHeartbeat = OneSession.extend({
  heartbeat_enabled: z.boolean().meta({ description: 'Whether it is nudged while it rests.' }),
  heartbeat_interval_seconds: z.int().meta({ description: 'Seconds between nudges.' }),
})

const categoryChoice = z
  .unknown()
  .optional()
  .meta({ type: ['integer', 'string', 'null'], examples: [3] })

export const CategoryChoice = z.object({
  category_id: categoryChoice.meta({ description: 'The category; blank or absent is Uncategorized.' }),
})

export const ToggledFavorite = OneSession.extend({
  favorited: z.boolean().meta({ description: 'Whether it sorts to the top of the board now.' }),
})

export const VisibilityChange = z.object({
  visibility: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      enum: ['visible', 'hidden', 'snoozed'],
      description: 'The choice for the board. Required.',
    }),
  snoozed_until: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      description:
        'When a snooze ends, as wall clock in `timezone`: `2026-09-05T08:00`. A time that a clock change skips moves forward; of one that comes twice the first is meant.',
      examples: ['2026-09-05T08:00'],
    }),
  timezone: z
    .unknown()
    .optional()
    .meta({ type: 'string', default: 'UTC', description: 'An IANA name.', examples: ['Europe/Berlin'] }),
})

export const CardOrder = z.object({
  ids: z
    .unknown()
    .optional()
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
    .meta({ description: 'Only this card moves: its id or its slug.' }),
})

export const OrderedCards = z.object({
  category_id: Id.nullable().meta({ description: 'The section; null is Uncategorized.' }),
  session_ids: z.array(Id).meta({ description: 'The whole section, top to bottom.' }),
})

export const ModelChange = z.object({
  model: z
    .unknown()
    .optional()
    .meta({ type: 'string', description: "A model of the session's own runtime. Required." }),
})
