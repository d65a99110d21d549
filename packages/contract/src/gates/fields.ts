import { z } from 'zod'
import { ClaimedSession } from '../acting-session.ts'
import { filterValues } from '../filter-values.ts'
import { Id } from '../identifiers.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { queryBoolean } from '../query.ts'
import { sentAsText } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

const { gateDecision: max } = limits

export const gates = ['pr_merge', 'issue_work'] as const
export type Gate = (typeof gates)[number]

/** Other names of the gates, in lower case with underscores. */
const aliases: ReadonlyMap<string, Gate> = new Map([
  ...['pr_merge', 'pr', 'pr_gate', 'pr_merge_gate'].map((name) => [name, 'pr_merge'] as const),
  ...['issue_work', 'issue', 'issue_gate', 'issue_work_gate'].map((name) => [name, 'issue_work'] as const),
])

const gateRule = `must be one of: ${gates.join(', ')}`

function readGate(value: string): Gate | undefined {
  return aliases.get(value.trim().toLowerCase().replaceAll('-', '_'))
}

function asSurface(value: string): string {
  return value.trim().toLowerCase().replaceAll(/[-\s]/g, '_')
}

export const GateFeedback = z
  .object({
    id: Id,
    verdict: z.string().meta({ description: 'What the person thinks of the decision.' }),
    note: z.string().nullable().meta({ description: 'Why; null without a note.' }),
    author: z.string().nullable().meta({ description: 'Who gave it.' }),
    channel: z.enum(['web_ui', 'imported']).meta({ description: 'The way it came.' }),
    received_at: Timestamp.meta({ description: 'When the person gave it.' }),
    recorded_at: Timestamp.meta({ description: 'When it was stored.' }),
  })
  .meta({
    id: 'GateFeedback',
    description: 'What a person says about a decision. Only people can give it, in a browser.',
  })

export type GateFeedback = z.infer<typeof GateFeedback>

const nullableText = z.string().nullable()

export const GateDecisionSummary = z
  .object({
    id: Id,
    gate: z.enum(gates).meta({ description: 'The gate that decided.' }),
    surface: z.string().meta({ description: 'The part of the product, in lower case with underscores.' }),
    artifact_url: nullableText.meta({ description: 'The pull request or issue, from `entry.pr` or `entry.issue`.' }),
    title: nullableText.meta({ description: 'From `entry.title`.' }),
    decided_at: nullableText.meta({
      description: 'The day of `entry.decided_at`; null if that is no ISO date.',
      examples: ['2026-08-22'],
    }),
    decision: nullableText.meta({ description: 'From `entry.decision`.', examples: ['hold'] }),
    producing_session_url: nullableText.meta({
      description: 'From `entry.producing_session`, else `entry.spawned_session`.',
    }),
    writing_session_id: Id.nullable().meta({ description: 'The session that recorded it, by its own account.' }),
    recorded_via: z.enum(['import', 'mcp', 'api']).meta({ description: 'The way it came; set by the service.' }),
    recorded_at: Timestamp.meta({ description: 'When it was recorded.' }),
    human_feedback: z.array(GateFeedback).meta({ description: 'What people said about it, oldest first.' }),
    corrected_by: Id.nullable().meta({
      description:
        'The latest record of the same gate about the same artifact, if it is later than this one; else null.',
    }),
  })
  .meta({ id: 'GateDecisionSummary' })

export type GateDecisionSummary = z.infer<typeof GateDecisionSummary>

export const GateDecision = z
  .object({
    ...GateDecisionSummary.shape,
    payload: JsonObject.meta({ description: 'The entry, without any `human_feedback` key.' }),
  })
  .meta({ id: 'GateDecision' })

export type GateDecision = z.infer<typeof GateDecision>

/** Blank counts as absent. */
const word = sentAsText<string>()
  .optional()
  .transform((value) => value || undefined)

/** A day of the query; blank counts as absent. */
const day = word
  .refine((value) => value === undefined || isDay(value), { message: 'must be a date, such as 2026-08-22' })
  .meta({ type: 'string', format: 'date' })

/** PostgreSQL knows no year 0. */
function isDay(value: string): boolean {
  return z.iso.date().safeParse(value).success && !value.startsWith('0000')
}

export const GateDecisionFilters = z.object({
  gate: word
    .transform((value, context) => {
      const gate = value === undefined ? undefined : readGate(value)
      if (gate !== undefined || value === undefined) return gate
      context.addIssue({ code: 'custom', message: gateRule })
      return z.NEVER
    })
    .meta({ type: 'string', description: 'One gate, by its name or an alias.', examples: ['pr_merge'] }),
  surface: word
    .transform((value) => value && asSurface(value))
    .meta({ type: 'string', description: 'Exactly this surface.' }),
  decision: word.meta({ type: 'string', description: 'Exactly this decision.' }),
  artifact_url: word.meta({ type: 'string', description: 'Exactly this address.' }),
  artifact_query: word.meta({ type: 'string', description: 'A part of the address, whatever its case.' }),
  query: word.meta({
    type: 'string',
    description: 'A text in the entry, whatever its case. `%` and `_` mean themselves.',
  }),
  with_human_feedback: queryBoolean({ default: undefined }).meta({
    description: 'True: only decisions with feedback. False narrows nothing.',
  }),
  from: day.meta({ description: 'Decided on this day or later.' }),
  to: day.meta({ description: 'Decided on this day or earlier.' }),
})

export type GateDecisionFilters = z.output<typeof GateDecisionFilters>

export const GateFilterValues = z.object({
  decisions: filterValues('decisions in the ledger'),
  surfaces: filterValues('surfaces in the ledger'),
})

export type GateFilterValues = z.infer<typeof GateFilterValues>

export const NewGateDecision = z.object({
  gate: z
    .string()
    .transform((value, context) => {
      const gate = readGate(value)
      if (gate !== undefined) return gate
      context.addIssue({ code: 'custom', message: gateRule })
      return z.NEVER
    })
    .meta({ type: 'string', description: 'The gate, by its name or an alias.', examples: ['pr_merge'] }),
  surface: text(max.surface, { from: z.string().trim().min(1, "can't be blank") })
    .transform(asSurface)
    .meta({ type: 'string', description: 'The part of the product. Stored in lower case with underscores.' }),
  entry: JsonObject.meta({
    description: 'The decision in the words of the gate. Any `human_feedback` key is dropped.',
    examples: [{ pr: 'https://forge.example/acme/web/pull/77', decision: 'hold', decided_at: '2026-08-22' }],
  }),
  writing_session_id: ClaimedSession,
  acting_session_id: ClaimedSession,
})

export type NewGateDecision = z.output<typeof NewGateDecision>

export const NewGateFeedback = z.object({
  verdict: text(max.verdict, { from: z.string().trim().min(1, "can't be blank") }).meta({
    description: 'What you think of the decision.',
  }),
  note: text(max.note, { from: z.string().trim() })
    .nullish()
    .transform((value) => value || null)
    .meta({ type: ['string', 'null'], maxLength: max.note, description: 'Why.' }),
  author: text(max.author, { from: z.string().trim().min(1, "can't be blank") }).meta({ description: 'Your name.' }),
})

export type NewGateFeedback = z.output<typeof NewGateFeedback>
