import { z } from 'zod'
import { ArtifactLists } from '../catalog/fields.ts'
import { Id } from '../identifiers.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { queryBoolean, readBoolean } from '../query.ts'
import { optionallySent } from '../sent.ts'
import { priorityClass, priorityClasses, rank, sessionStatuses } from '../sessions/fields.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'
import { conditionTypes } from './conditions.ts'

export const triggerStatuses = ['enabled', 'disabled', 'failed'] as const
export type TriggerStatus = (typeof triggerStatuses)[number]

const names = z.array(z.string())

export const TriggerCondition = z
  .object({
    id: Id,
    condition_type: z.enum(conditionTypes).meta({ description: 'What kind of thing fires it.' }),
    configuration: JsonObject.meta({ description: 'The details of the condition, as the caller wrote them.' }),
    description: z.string().meta({ description: 'The condition in words.' }),
    next_run_at: Timestamp.nullable().meta({ description: 'When a schedule is due next; null for other kinds.' }),
    last_triggered_at: Timestamp.nullable().meta({ description: 'When it last fired.' }),
    last_polled_at: Timestamp.nullable().meta({ description: 'When its platform was last asked.' }),
  })
  .meta({ id: 'TriggerCondition' })

export type TriggerCondition = z.infer<typeof TriggerCondition>

export const Trigger = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Its name; also the title of the sessions it spawns.' }),
    status: z.enum(triggerStatuses).meta({ description: 'Only an enabled trigger fires by itself.' }),
    failed_at: Timestamp.nullable().meta({ description: 'When it was parked as failed; null on a healthy trigger.' }),
    last_error: z.string().nullable().meta({ description: 'Why it was parked; null on a healthy trigger.' }),
    agent_root_name: z.string().meta({ description: 'The catalog root of the sessions it spawns.' }),
    agent_root_missing_from_catalog: z.boolean().meta({ description: 'Whether the catalog has no such root.' }),
    unresolved_catalog_references: z.record(z.string(), z.record(z.string(), Timestamp)).meta({
      description: 'Names that past fires did not find in the catalog, by list, with the time of the first such fire.',
    }),
    prompt_template: z.string().meta({ description: 'The prompt, with placeholders such as `{{text}}`.' }),
    goal: z.string().nullable().meta({ description: 'The goal of the sessions it spawns.' }),
    reuse_session: z.boolean().meta({ description: 'Whether it follows up `last_session_id` instead of spawning.' }),
    enqueue_messages: z.boolean().meta({ description: 'Whether its prompt is queued while that session runs.' }),
    resuscitate_archived: z.boolean().meta({ description: 'Whether that session is restored from the archive.' }),
    skip_if_pending_session: z.boolean().meta({
      description: 'Whether it spawns nothing while a session it created is `waiting` or `running`.',
    }),
    skip_if_pending_session_inert: z.boolean().meta({
      description: 'Whether that setting is not read, because a live session exists to re-use.',
    }),
    max_sessions_per_minute: z.int().nullable().meta({ description: 'Cap on the sessions it spawns; null is none.' }),
    bursting: z.boolean().meta({ description: 'Whether the cap was exceeded and fires are suppressed.' }),
    burst_ends_at: Timestamp.nullable().meta({ description: 'When the burst ends; null outside of one.' }),
    suppressed_event_count: z.int().meta({ description: 'Fires that bursts have suppressed.' }),
    coalesce_window_seconds: z.int().nullable().meta({ description: 'The stored window; null inherits 60, 0 is off.' }),
    effective_coalesce_window_seconds: z.int().meta({
      description: 'Chat messages of one conversation within so many seconds are one event.',
    }),
    coalesce_window_inert: z.boolean().meta({ description: 'Whether a window is stored without a chat condition.' }),
    missed_fire_count: z.int().meta({
      description: 'Scheduled runs in a row that did not happen because the last prompt still waited.',
    }),
    first_missed_fire_at: Timestamp.nullable().meta({ description: 'The first of them.' }),
    scheduling_class: z.enum(priorityClasses).nullable().meta({ description: 'The explicit class; null derives it.' }),
    effective_scheduling_class: z.enum(priorityClasses).meta({ description: 'The class its sessions get.' }),
    precedence: z.int().nullable().meta({ description: 'Rank of its sessions in the spot queue; null is 0.' }),
    mcp_servers: names.meta({ description: 'MCP servers of its sessions; empty means those of the root.' }),
    catalog_skills: names.meta({ description: 'Skills of its sessions; empty means those of the root.' }),
    catalog_hooks: names.meta({ description: 'Hooks of its sessions; empty means those of the root.' }),
    catalog_plugins: names.meta({ description: 'Plugins of its sessions; empty means those of the root.' }),
    conditions: z.array(TriggerCondition).meta({ description: 'Any one of them fires it.' }),
    last_session_id: Id.nullable().meta({ description: 'The session it follows up, or the newest it spawned.' }),
    made_by_session_id: Id.nullable().meta({
      description: 'The session whose agent made it, and whose children its sessions are; null for all others.',
    }),
    last_triggered_at: Timestamp.nullable().meta({ description: 'When it last fired.' }),
    sessions_created_count: z.int().meta({ description: 'Sessions it spawned, burst notices included.' }),
    reclassified_waiting_sessions: z.int().optional().meta({
      description: 'How many of its waiting sessions moved class; only after a change of the class.',
    }),
    created_at: Timestamp.meta({ description: 'When it was made.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed or fired.' }),
  })
  .meta({ id: 'Trigger' })

export type Trigger = z.infer<typeof Trigger>

function requiredText(max: number) {
  return text(max, { from: z.string().refine((value) => value.trim() !== '', { message: "can't be blank" }) })
}

/** Absent stays absent; null or blank is false. */
const toggle = optionallySent<boolean | string | number | null>()
  .transform((input, context): boolean | undefined => {
    if (input === undefined) return undefined
    if (input === null || input === '') return false
    const value = readBoolean(input)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: 'must be true or false' })
    return z.NEVER
  })
  .meta({ type: 'boolean' })

/** A number or its digits. Absent stays absent; blank is null. */
function wholeNumberFrom(min: number, problem: string) {
  return optionallySent<number | string | null>()
    .transform((input, context): number | null | undefined => {
      if (input === undefined) return undefined
      if (input === null || input === '') return null
      const number = typeof input === 'string' && /^[+-]?\d{1,15}$/.test(input) ? Number(input) : input
      const refusal =
        typeof number !== 'number' ? 'is not a number' : Number.isInteger(number) ? problem : 'must be an integer'
      if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= maxInt) return number
      const message =
        typeof number === 'number' && number > maxInt ? `must be less than or equal to ${maxInt}` : refusal
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .meta({ type: ['integer', 'null'], minimum: min, maximum: maxInt })
}
const maxInt = 1_000_000_000

const target = optionallySent<number | string | null>()
  .transform((input, context): number | null | undefined => {
    if (input === undefined) return undefined
    if (input === null || input === '') return null
    const id = wholeNumber(input)
    if (id) return id
    context.addIssue({ code: 'custom', message: 'must reference an existing session' })
    return z.NEVER
  })
  .meta({ type: ['integer', 'null'] })

/** The operation reads the configuration by the condition's type. */
export const ConditionAttributes = z.object({
  id: optionallySent<number | string | null>().meta({
    type: ['integer', 'null'],
    description: 'The condition to change; absent adds one.',
  }),
  condition_type: optionallySent<string | null>().meta({
    type: ['string', 'null'],
    description: `One of: ${conditionTypes.join(', ')}.`,
    examples: ['schedule'],
  }),
  configuration: optionallySent<JsonObject | null>().meta({
    type: ['object', 'null'],
    description: 'The details of the condition. Replaces the stored ones.',
    examples: [{ unit: 'days', interval: 1, time: '03:00', timezone: 'Europe/Vilnius' }],
  }),
  _destroy: optionallySent<boolean | string | number | null>().meta({
    type: ['boolean', 'null'],
    description: 'True deletes the condition that `id` names.',
  }),
})

export type ConditionAttributes = z.infer<typeof ConditionAttributes>

const status = z
  .string()
  .refine((value): value is TriggerStatus => triggerStatuses.some((known) => known === value), {
    message: 'is not included in the list',
  })
  .meta({ type: 'string', enum: [...triggerStatuses] })

const changes = {
  status: status.optional().meta({ description: 'Whether it fires by itself; `enabled` if absent.' }),
  goal: text(limits.goal, { wording: 'long' }).nullish().meta({ description: 'The goal of the sessions it spawns.' }),
  last_session_id: target.meta({ description: 'The session to follow up; needs `reuse_session`.' }),
  session_id: target.meta({ description: 'Another name of `last_session_id`.' }),
  reuse_session: toggle.meta({ description: 'Follow up `last_session_id` instead of spawning.' }),
  enqueue_messages: toggle.meta({ description: 'Queue the prompt while that session runs.' }),
  resuscitate_archived: toggle.meta({ description: 'Restore that session from the archive.' }),
  skip_if_pending_session: toggle.meta({ description: 'Spawn nothing while a session it created is at work.' }),
  max_sessions_per_minute: wholeNumberFrom(1, 'must be greater than 0').meta({
    description: 'Cap on the sessions it spawns; null is none.',
  }),
  coalesce_window_seconds: wholeNumberFrom(0, 'must be greater than or equal to 0').meta({
    description: 'Chat messages of one conversation within so many seconds are one event; null is 60, 0 is off.',
  }),
  scheduling_class: priorityClass.optional().meta({ description: 'The class of its sessions; null derives it.' }),
  precedence: z
    .preprocess((value: number | string | null | undefined) => (value === '' ? null : value), rank.nullish())
    .optional()
    .meta({ type: ['integer', 'null'], description: 'Rank of its sessions in the spot queue.' }),
  trigger_conditions_attributes: z
    .array(ConditionAttributes)
    .nullish()
    .meta({ description: 'Conditions to add, change or delete. Others stay as they are.' }),
  ...ArtifactLists.shape,
}

const name = requiredText(limits.triggerName).meta({
  description: 'Its name; also the title of the sessions it spawns.',
  examples: ['Nightly sweep'],
})
const rootName = requiredText(limits.triggerName).meta({
  description: 'The catalog root of the sessions it spawns. Not checked until it fires.',
})
const template = requiredText(limits.prompt).meta({
  description: 'The prompt. Placeholders: link, text, author, channel, event, repo, number, title, labels, time, date.',
  examples: ['Check outdated packages as of {{date}}.'],
})

export const NewTrigger = z.object({ name, agent_root_name: rootName, prompt_template: template, ...changes })
export const TriggerChanges = z.object({
  name: name.optional(),
  agent_root_name: rootName.optional(),
  prompt_template: template.optional(),
  ...changes,
})

type Required = 'name' | 'agent_root_name' | 'prompt_template'
type Parsed = z.output<typeof NewTrigger>
export type NewTrigger = Pick<Parsed, Required> & Partial<Parsed>
export type TriggerChanges = Partial<Parsed>

export const TriggerFilters = z.object({
  condition_type: z.string().optional().meta({ description: 'One kind of condition; an unknown one matches nothing.' }),
  status: z.string().optional().meta({ description: 'One status; an unknown one matches nothing.' }),
  needs_attention: queryBoolean({ default: undefined }).meta({
    description: 'Only triggers that failed, missed scheduled runs or are in a burst; or only the others.',
  }),
  wakes_session_id: z.string().optional().meta({
    description: 'Only the wakes that are armed for the session with this id; an unknown one matches nothing.',
  }),
})

export type TriggerFilters = z.infer<typeof TriggerFilters>

export const OneTrigger = z.object({ trigger: Trigger })

export const TriggerWithWarnings = OneTrigger.extend({
  warnings: z.array(z.string()).optional().meta({ description: 'Warnings for the caller; absent when empty.' }),
})

export const RecentSession = z.object({
  id: Id,
  slug: z.string().nullable().meta({ description: 'Its readable handle.' }),
  title: z.string().nullable().meta({ description: 'Its title.' }),
  status: z.enum(sessionStatuses).meta({ description: 'Its status.' }),
  created_at: Timestamp.meta({ description: 'When it was created.' }),
})

export const ShownTrigger = OneTrigger.extend({
  recent_sessions: z.array(RecentSession).meta({ description: 'The newest sessions it spawned, at most 10.' }),
})
