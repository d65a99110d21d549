import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { optionallySent } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { ConditionAttributes, OneTrigger } from '../triggers/fields.ts'

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
const variables = optionallySent<Record<string, string | readonly string[]> | null>()
  .transform(
    (input): Record<string, unknown> =>
      typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {},
  )
  .meta({
    type: ['object', 'null'],
    description: 'Values by placeholder; `labels` may be a list. Unknown keys are ignored.',
    examples: [{ link: 'https://forge.test/acme/api/issues/7', labels: ['bug', 'p1'] }],
  })

export const InvokeRequest = z.object({ variables })

export const PreviewRequest = z.object({
  trigger_id: Id.nullish().meta({ description: 'The trigger whose conditions may be named by their id.' }),
  trigger_conditions_attributes: z
    .array(ConditionAttributes)
    .max(limits.triggerConditions)
    .nullish()
    .meta({ description: 'Conditions as a change would send them. With an `id` alone: the stored one.' }),
  prompt_template: text(limits.prompt).nullish().meta({ description: 'The prompt with its placeholders.' }),
  variables,
})

export type PreviewRequest = z.infer<typeof PreviewRequest>

const PreviewedCondition = z.object({
  description: z.string().nullable().meta({ description: 'The condition in words; null if it is invalid.' }),
  problems: z.array(z.string()).meta({ description: 'Why it would be refused; empty if it is valid.' }),
})

export const TriggerPreview = z
  .object({
    conditions: z.array(PreviewedCondition).meta({ description: 'In the order they were sent.' }),
    next_fires: z
      .array(
        z.object({
          at: Timestamp.meta({ description: 'When a schedule is due.' }),
          condition: z.int().meta({ description: 'Its place in `conditions`, from 0.' }),
          timezone: z.string().meta({ description: 'The zone that its schedule is written in.' }),
        }),
      )
      .meta({ description: 'The first five of all schedules, as if the trigger was enabled now.' }),
    prompt: z.string().meta({
      description: 'What an agent would be told if the first condition fired with these values.',
    }),
    placeholders: z.array(z.string()).meta({ description: 'The placeholders that an event fills, in order.' }),
    unknown_placeholders: z.array(z.string()).meta({ description: 'Names that no event fills; they stay as written.' }),
  })
  .meta({ id: 'TriggerPreview' })

export type TriggerPreview = z.infer<typeof TriggerPreview>

export const deliveries = ['spawned', 'delivered', 'queued', 'coalesced', 'dropped'] as const

export const InvokedTrigger = OneTrigger.extend({
  session: Session,
  burst_notice: z.boolean().meta({ description: 'Whether the session is the notice of a burst.' }),
  delivery: z.enum(deliveries).meta({ description: 'Whether and how the prompt was delivered.' }),
  message: z.string().meta({ description: 'What happened, in words.' }),
})
