import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { optionallySent } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { Timestamp } from '../timestamp.ts'
import { OneTrigger } from '../triggers/fields.ts'

export const fireSources = ['chat', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'invoke'] as const
export type FireSource = (typeof fireSources)[number]

export const fireOutcomes = [
  'spawned',
  'delivered',
  'queued',
  'coalesced',
  'dropped',
  'skipped',
  'burst_notice',
  'suppressed',
  'failed',
] as const
export type FireOutcome = (typeof fireOutcomes)[number]

export const TriggerFire = z
  .object({
    id: Id,
    fired_by: z.enum(fireSources).meta({ description: 'What fired it.' }),
    condition_id: Id.nullable().meta({ description: 'The condition that matched; null for an invoke.' }),
    event_key: z.string().meta({ description: 'The event, which fires a trigger once.' }),
    outcome: z.enum(fireOutcomes).meta({ description: 'Its outcome.' }),
    session_id: Id.nullable().meta({ description: 'The session it started, resumed or found in its way.' }),
    reason: z.string().nullable().meta({ description: 'Why nothing was started, or what was unusual.' }),
    scheduled_for: Timestamp.nullable().meta({ description: 'When a schedule was due.' }),
    times: z.int().meta({ description: 'Repeats of the event with the same outcome share one entry.' }),
    fired_at: Timestamp.meta({ description: 'The first time.' }),
    last_fired_at: Timestamp.meta({ description: 'The last time.' }),
  })
  .meta({ id: 'TriggerFire' })

export type TriggerFire = z.infer<typeof TriggerFire>

/** Values for placeholders, in the caller's own words. Anything but an object counts as none. */
export const InvokeRequest = z.object({
  variables: optionallySent<Record<string, string | readonly string[]> | null>()
    .transform(
      (input): Record<string, unknown> =>
        typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {},
    )
    .meta({
      type: ['object', 'null'],
      description: 'Values by placeholder; `labels` may be a list. Unknown keys are ignored.',
      examples: [{ link: 'https://forge.test/acme/api/issues/7', labels: ['bug', 'p1'] }],
    }),
})

export const deliveries = ['spawned', 'delivered', 'queued', 'coalesced', 'dropped'] as const

export const InvokedTrigger = OneTrigger.extend({
  session: Session,
  burst_notice: z.boolean().meta({ description: 'Whether the session is the notice of a burst.' }),
  delivery: z.enum(deliveries).meta({ description: 'Whether and how the prompt was delivered.' }),
  message: z.string().meta({ description: 'What happened, in words.' }),
})
