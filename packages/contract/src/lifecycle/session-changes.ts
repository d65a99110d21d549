import { z } from 'zod'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { sent } from '../sent.ts'
import { NewSession, priorityClass, rank, Session, slug } from '../sessions/fields.ts'
import { text } from '../text.ts'

const { title, place, auto_compact_window } = NewSession.shape

/** Only the keys that are sent change, and only they are in the parsed body. Unknown keys are dropped. */
export const SessionChanges = z.object({
  title: title.meta({ description: 'A short title; null or blank takes it away.' }),
  slug: slug.nullish().meta({ description: 'Another handle; null takes it away.' }),
  goal: text(limits.goal, { wording: 'long' }).nullish().meta({ description: 'The goal; an empty string clears it.' }),
  is_autonomous: z.boolean().optional().meta({ description: 'Whether it fires broadcast event triggers.' }),
  scheduling_class: priorityClass.optional().meta({ description: 'Its class; null returns to the derived one.' }),
  precedence: rank.nullish().meta({ type: ['integer', 'null'], description: 'Rank within the spot queue; null is 0.' }),
  place: place.meta({ description: 'Instead of a rank: `top_of_spot`, which never lowers it.' }),
  auto_compact_window: auto_compact_window.meta({
    description:
      'Context size in tokens at which the agent compacts, from its next turn on; null is the largest, which leaves it to the agent.',
  }),
  custom_metadata: JsonObject.optional().meta({
    description: "The caller's own object; takes the place of the old one.",
  }),
})

export type SessionChanges = z.infer<typeof SessionChanges>

export const ChangedSession = z.object({
  session: Session,
  start: z
    .object({
      outcome: z.enum(['started', 'refused']).meta({ description: 'Whether its next turn was dispatched.' }),
      message: z.string().meta({ description: 'What happened, in words.' }),
    })
    .optional()
    .meta({ description: 'Only when a waiting session was promoted to priority and something was attempted.' }),
})

export type StartAttempt = NonNullable<z.infer<typeof ChangedSession>['start']>

export const ModelChange = z.object({
  // A value that is no string counts as blank, which the operation refuses once it knows that the session exists.
  model: sent<string>()
    .transform((value) => (value === undefined || typeof value === 'string' ? value : ''))
    .meta({ type: 'string', description: "A model of the session's own runtime. Required." }),
})
