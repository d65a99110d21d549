import { z } from 'zod'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { NewSession, rank, Session, slug } from '../sessions/fields.ts'
import { text } from '../text.ts'

const { title, scheduling_class, place } = NewSession.shape

/** What a PATCH may say. Only the keys that are sent change; unknown ones are dropped. */
export const SessionChanges = z.object({
  title: title.meta({ description: 'A short title; null or blank takes it away.' }),
  slug: slug.nullish().meta({ description: 'Another handle; null takes it away.' }),
  goal: text(limits.goal, { wording: 'long' }).nullish().meta({ description: 'The goal; an empty string clears it.' }),
  is_autonomous: z.boolean().optional().meta({ description: 'Whether it fires broadcast event triggers.' }),
  scheduling_class: scheduling_class.meta({ description: 'Its class; null returns to the derived one.' }),
  precedence: rank.nullish().meta({ type: ['integer', 'null'], description: 'Rank within the spot queue; null is 0.' }),
  place: place.meta({ description: 'Instead of a rank: `top_of_spot`, which never lowers it.' }),
  custom_metadata: JsonObject.optional().meta({
    description: "The caller's own object; takes the place of the old one.",
  }),
})

export type SessionChanges = z.infer<typeof SessionChanges>

export const ChangedSession = z.object({
  session: Session,
  start: z
    .object({
      outcome: z.enum(['started', 'refused']).meta({ description: 'Whether its next turn is let in.' }),
      message: z.string().meta({ description: 'What happened, in words.' }),
    })
    .optional()
    .meta({ description: 'Only when a waiting session was promoted to priority and something was attempted.' }),
})

export type StartAttempt = NonNullable<z.infer<typeof ChangedSession>['start']>
