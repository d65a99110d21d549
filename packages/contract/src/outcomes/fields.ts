import { z } from 'zod'
import { ClaimedSession } from '../acting-session.ts'
import { Id, SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { sent, sentAsText } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'

export const outcomeKinds = ['Success', 'Failure'] as const
export const triggerKinds = ['New', 'Correction'] as const
export const triggerSources = ['user', 'agent', 'subagent'] as const
export const goalKinds = ['Plan', 'Action'] as const

const SegmentMeta = z.object({
  event_range: z.tuple([z.string(), z.string()]).nullable().meta({ description: 'The first and the last event.' }),
  wall_clock_s: z.number().nullable().meta({ description: 'Seconds from its start to its end.' }),
  tokens_in: z.int().nullable().meta({ description: 'Tokens that the model read.' }),
  tokens_out: z.int().nullable().meta({ description: 'Tokens that the model wrote.' }),
  model: z.string().nullable().meta({ description: 'The model that worked on it.' }),
})

export type Segment = {
  id: string
  trigger: { kind: (typeof triggerKinds)[number]; source: (typeof triggerSources)[number] }
  goal: { text: string; kind: (typeof goalKinds)[number] }
  outcome: { kind: (typeof outcomeKinds)[number]; explanation: string }
  meta: z.infer<typeof SegmentMeta>
  children: Segment[]
}

export const Segment: z.ZodType<Segment> = z
  .object({
    id: z.string().meta({ description: 'Its place in the tree: `S0`, then `S0.0`, `S0.1`, ...' }),
    trigger: z
      .object({
        kind: z.enum(triggerKinds).meta({ description: 'Whether it corrects the segment before it.' }),
        source: z.enum(triggerSources).meta({ description: 'What set it off.' }),
      })
      .meta({ description: 'Why it began.' }),
    goal: z
      .object({
        text: z.string().meta({ description: 'What was to be reached.' }),
        kind: z.enum(goalKinds).meta({ description: 'Whether to plan or to act.' }),
      })
      .meta({ description: 'What it was for.' }),
    outcome: z
      .object({
        kind: z.enum(outcomeKinds).meta({ description: 'Of this segment alone, whatever its children did.' }),
        explanation: z.string().meta({ description: 'Why.' }),
      })
      .meta({ description: 'How it ended.' }),
    meta: SegmentMeta.meta({ description: 'Figures; null where they are not known.' }),
    get children() {
      return z.array(Segment).meta({ description: 'Its parts, in order.' })
    },
  })
  .meta({ id: 'Segment', description: 'A part of a transcript with one goal.' })

export const OutcomeSummary = z
  .object({
    id: Id,
    session_id: Id.meta({ description: 'The session that was analysed.' }),
    session_title: z.string().nullable().meta({ description: 'Its title now.' }),
    analyzer_session_id: Id.nullable().meta({ description: 'The session that analysed it.' }),
    schema_version: z.string().meta({ description: 'The version of the tree.' }),
    notes: z.string().nullable().meta({ description: 'What the analyser adds.' }),
    agent_root: z.string().nullable().meta({ description: 'The root of the session when it was analysed.' }),
    agent_runtime: z.string().meta({ description: 'Its runtime.' }),
    model: z.string().nullable().meta({ description: 'Its model.' }),
    session_created_at: Timestamp.meta({ description: 'When the session was created.' }),
    root_outcome: z.enum(outcomeKinds).meta({ description: 'How the whole ended.' }),
    segment_count: z.int().meta({ description: 'Segments of the tree.' }),
    failure_segment_count: z.int().meta({ description: 'Segments that failed.' }),
    success_segment_count: z.int().meta({ description: 'Segments that succeeded.' }),
    max_depth: z.int().meta({ description: 'Levels of the tree.' }),
    analyzed_at: Timestamp.meta({ description: 'When it was saved.' }),
    superseded_at: Timestamp.nullable().meta({ description: 'When a later analysis took its place.' }),
  })
  .meta({ id: 'OutcomeAnalysisSummary' })

export type OutcomeSummary = z.infer<typeof OutcomeSummary>

export const OutcomeAnalysis = z
  .object({ ...OutcomeSummary.shape, root: Segment.meta({ description: 'The tree.' }) })
  .meta({ id: 'OutcomeAnalysis' })

export type OutcomeAnalysis = z.infer<typeof OutcomeAnalysis>

export const SavedAnalysis = z.object({
  outcome_analysis: OutcomeAnalysis,
  superseded_previous: z.boolean().meta({ description: 'Whether it took the place of an earlier analysis.' }),
  warnings: z.array(z.string()).meta({ description: 'What is odd about the tree, though it was saved.' }),
})

/** The operation reads the values: it looks for the session first, and names every problem of the tree at once. */
export const NewAnalysis = z.object({
  session_id: sent<number | string>().meta({
    type: ['integer', 'string'],
    description: 'The archived session, by id or slug.',
    examples: [790],
  }),
  root: sent<object>().meta({ type: 'object', description: 'The tree of segments.' }),
  schema_version: sent<string | null | undefined>().meta({
    type: ['string', 'null'],
    description: '`"1"`, which is also the default.',
  }),
  notes: sent<string | null | undefined>().meta({
    type: ['string', 'null'],
    description: 'Free notes; cut to 1000 characters.',
  }),
  analyzer_session_id: ClaimedSession,
  acting_session_id: ClaimedSession,
})

export type NewAnalysis = z.output<typeof NewAnalysis>

const word = sentAsText<string>()
  .optional()
  .transform((value) => value || undefined)

const day = word
  .refine((value) => value === undefined || (z.iso.date().safeParse(value).success && !value.startsWith('0000')), {
    message: 'must be a date, such as 2026-08-22',
  })
  .meta({ type: 'string', format: 'date' })

const outcomes = [...outcomeKinds, 'any'] as const

export const OutcomeFilters = z.object({
  from: day.meta({ description: 'Sessions created on this day or later, in UTC.' }),
  to: day.meta({ description: 'Sessions created on this day or earlier, in UTC.' }),
  agent_root: word.meta({ type: 'string', description: 'Exactly this root.' }),
  agent_runtime: word.meta({ type: 'string', description: 'Exactly this runtime.' }),
  model: word.meta({ type: 'string', description: 'Exactly this model.' }),
  outcome: word
    .transform((value, context): (typeof outcomeKinds)[number] | undefined => {
      if (value === undefined || value === 'any') return undefined
      const known = outcomeKinds.find((kind) => kind === value)
      if (known === undefined) context.addIssue({ code: 'custom', message: `must be one of: ${outcomes.join(', ')}` })
      return known
    })
    .meta({ type: 'string', enum: [...outcomes], description: 'How the whole ended.' }),
})

export type OutcomeFilters = z.output<typeof OutcomeFilters>

const { named, found, concurrency } = limits.analysisBatch

/** The operation refuses both of the two ways to name sessions, and neither. */
export const NewBatch = z.object({
  session_ids: z
    .array(
      z
        .union([z.int().min(0), z.string().min(1)])
        .transform((ref) => SessionRef.parse(String(ref)))
        .meta({ type: ['integer', 'string'] }),
    )
    .min(1)
    .max(named)
    .optional()
    .meta({ description: `Archived sessions, by id or slug; at most ${named}.`, examples: [[790, 'fix-login']] }),
  ...OutcomeFilters.omit({ outcome: true }).shape,
  concurrency: z
    .int()
    .min(concurrency.min)
    .max(concurrency.max)
    .default(concurrency.default)
    .meta({ description: 'Analyzer sessions of the batch at a time.' }),
})

export type NewBatch = z.output<typeof NewBatch>

export const itemStates = ['queued', 'running', 'saved', 'failed', 'cancelled'] as const

const items = (what: string) => z.int().meta({ description: `Sessions ${what}.` })

export const AnalysisBatch = z
  .object({
    id: Id,
    concurrency: z.int().meta({ description: 'Analyzer sessions at a time.' }),
    created_at: Timestamp.meta({ description: 'When it was asked for.' }),
    counts: z
      .object({
        queued: items('that wait'),
        running: items('that are being analysed'),
        saved: items('whose analysis was saved'),
        failed: items('that could not be analysed'),
        cancelled: items('that were left when the batch was cancelled'),
      })
      .meta({ description: 'Its sessions by state.' }),
    items: z
      .array(
        z.object({
          session_id: Id.meta({ description: 'The session to analyse.' }),
          state: z.enum(itemStates).meta({ description: 'How far it is.' }),
          reason: z.string().nullable().meta({ description: 'Why it failed.' }),
          analyzer_session_id: Id.nullable().meta({ description: 'The session that analyses it, unless deleted.' }),
          started_at: Timestamp.nullable().meta({ description: 'When that session was created.' }),
          ended_at: Timestamp.nullable().meta({ description: 'When it was saved, failed or was cancelled.' }),
        }),
      )
      .meta({ description: `Its sessions, in the order in which they are started; at most ${found}.` }),
  })
  .meta({ id: 'OutcomeAnalysisBatch' })

export type AnalysisBatch = z.infer<typeof AnalysisBatch>
