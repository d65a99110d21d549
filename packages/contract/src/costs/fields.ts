import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { queryBoolean } from '../query.ts'
import { sentAsText } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'
import { exactly, sessionFilter, Window, WindowQuery } from './window.ts'

const dollars = z.number().meta({ description: 'US dollars at list price, not a bill; 0 for a model without a rate.' })
const rate = z.number().meta({ description: 'US dollars per million tokens.' })

export const Pricing = z
  .object({
    note: z.string().meta({ description: 'What the figures are.' }),
    source: z.enum(['built_in', 'file']).meta({ description: "Whether the rates are the server's or the operator's." }),
    valid_from: z.string().nullable().meta({ description: 'The day from which these rates apply; null: always.' }),
    problem: z.string().nullable().meta({ description: 'Why the price file is not used as it is now; null if it is.' }),
    cache_multipliers: z
      .object({
        read: z.number().meta({ description: 'Of reads.' }),
        write_5m: z.number().meta({ description: 'Of writes for five minutes.' }),
        write_1h: z.number().meta({ description: 'Of writes for an hour.' }),
      })
      .meta({ description: 'Cache rates as a multiple of the input rate, where a family has none of its own.' }),
    web_search_per_1k_requests: z.number().meta({ description: 'US dollars per thousand web searches.' }),
    per_mtok: z
      .record(
        z.string(),
        z.object({
          input: rate,
          output: rate,
          cache_read: rate,
          cache_write_5m: rate,
          cache_write_1h: rate,
        }),
      )
      .meta({ description: 'Rates by family. A model has the rates of the longest family name that its id contains.' }),
  })
  .meta({ id: 'Pricing' })

export type Pricing = z.infer<typeof Pricing>

const tokenCounts = {
  input_tokens: z.int().meta({ description: 'Input that was read fresh.' }),
  output_tokens: z.int().meta({ description: 'Output, with its reasoning.' }),
  cache_read_tokens: z.int().meta({ description: 'Input that came from the cache.' }),
  cache_creation_tokens: z.int().meta({ description: 'Input that was written to the cache.' }),
  cache_creation_5m_tokens: z.int().meta({ description: 'Of these, written for five minutes.' }),
  cache_creation_1h_tokens: z.int().meta({ description: 'Of these, written for an hour.' }),
  web_search_requests: z.int().meta({ description: 'Searches of the web.' }),
  web_fetch_requests: z.int().meta({ description: 'Pages that were fetched; not priced.' }),
}
const totalTokens = z.int().meta({ description: 'Input, output, cache reads and cache writes.' })
const apiCalls = z.int().meta({ description: 'Model calls.' })
const spend = { cost_usd: dollars, tokens: totalTokens, api_calls: apiCalls }
const name = (description: string) => z.string().meta({ description })
const Named = z.object({ name: name('The root or the model.'), ...spend })

export const runStates = ['queued', 'running', 'complete'] as const
const backfillTrigger = z.enum(['automatic', 'manual']).meta({ description: 'Who asked for it.' })
const progress = {
  directories_done: z.int().meta({ description: 'Sessions that were read.' }),
  directories_total: z.int().meta({ description: 'Sessions that there were when it began.' }),
  files_scanned: z.int().meta({ description: 'Threads of these sessions that were read.' }),
  rows_written: z.int().meta({ description: 'Calls that were missing in the ledger and are there now.' }),
}
const time = (description: string) => Timestamp.nullable().meta({ description })

export const BackfillRun = z
  .object({
    id: Id,
    status: z.enum(runStates).meta({ description: 'Where it stands.' }),
    trigger: backfillTrigger,
    transcript_root: z.string().meta({ description: 'What is read.' }),
    ...progress,
    started_at: time('When it read the first session.'),
    finished_at: time('When it had read the last one.'),
  })
  .meta({ id: 'BackfillRun' })

export type BackfillRun = z.infer<typeof BackfillRun>

export const LedgerCoverage = z
  .object({
    status: z.enum(['never_run', ...runStates]).meta({ description: 'Where the latest sweep stands.' }),
    complete: z.boolean().meta({ description: 'Whether a sweep of all history has ever finished.' }),
    progress_pct: z.int().nullable().meta({ description: 'Of the latest sweep; null before its size is known.' }),
    ...progress,
    trigger: backfillTrigger.nullable(),
    started_at: time('When the latest sweep began.'),
    finished_at: time('When the last finished sweep ended.'),
    last_ran_at: time('When the latest sweep last made progress.'),
    last_error: z.string().nullable().meta({ description: 'What the latest sweep could not read.' }),
    covers_since: time('The oldest call in the ledger.'),
    covers_until: time('The newest call in the ledger.'),
  })
  .meta({ id: 'LedgerCoverage' })

export type LedgerCoverage = z.infer<typeof LedgerCoverage>

export const scopeKinds = ['fleet', 'agent_root', 'session'] as const

export const CostsQuery = WindowQuery.extend({
  session_id: sessionFilter,
  agent_root: exactly('Only sessions of this root, without ad hoc calls. `session_id` wins.'),
})

export type CostsQuery = z.output<typeof CostsQuery>

export const costComponents = [
  'fresh input',
  'output',
  'cache read',
  'cache write (5m)',
  'cache write (1h)',
  'web search',
] as const

export const Costs = z
  .object({
    window: Window,
    scope: z
      .object({
        kind: z.enum(scopeKinds).meta({ description: 'What the figures are about.' }),
        agent_root: z.string().nullable().meta({ description: 'The root, in the scope of a root.' }),
        session_id: Id.nullable().meta({ description: 'The session, in the scope of a session.' }),
      })
      .meta({ description: 'The scope that applies.' }),
    pricing: Pricing,
    ledger_coverage: LedgerCoverage,
    totals: z
      .object({
        ...tokenCounts,
        api_calls: apiCalls,
        cost_usd: dollars,
        total_tokens: totalTokens,
        session_cost_usd: dollars,
        adhoc_cost_usd: dollars,
      })
      .meta({ description: 'Everything in the window.' }),
    cost_breakdown: z
      .array(
        z.object({
          component: z.enum(costComponents).meta({ description: 'A kind of token, or web searches.' }),
          cost_usd: dollars,
          share: z.number().meta({ description: 'Of all of them together, 0 to 1.' }),
        }),
      )
      .meta({ description: 'By kind of token, the most expensive first; without those that cost nothing.' }),
    by_day: z
      .array(
        z.object({
          day: z.string().meta({ description: 'A day in UTC.' }),
          cost_usd: dollars,
          session_cost_usd: dollars,
          adhoc_cost_usd: dollars,
          tokens: totalTokens,
          api_calls: apiCalls,
          roots: z.array(Named).meta({ description: 'The four roots that cost most, sessions only.' }),
          models: z.array(Named).meta({ description: 'The four models that cost most, sessions only.' }),
        }),
      )
      .meta({ description: 'Days with calls, the oldest first.' }),
    by_agent_root: z
      .array(z.object({ agent_root: name('The root, or `other (N)` for all the rest.'), ...spend }))
      .meta({ description: 'The 15 roots that cost most, sessions only.' }),
    by_model: z
      .array(z.object({ model: name('The model, or `other (N)` for all the rest.'), ...spend }))
      .meta({ description: 'The 15 models that cost most.' }),
    by_runtime: z
      .array(z.object({ agent_runtime: name('The runtime.'), ...spend }))
      .meta({ description: 'Every runtime: what is subscription spend and what is metered.' }),
    by_thread_kind: z
      .array(z.object({ kind: z.enum(['main', 'subagent']).meta({ description: 'Who made the calls.' }), ...spend }))
      .meta({ description: 'Main threads and subagents, sessions only.' }),
    by_adhoc_source: z
      .array(z.object({ source: name('What the service made the calls for.'), ...spend }))
      .meta({ description: 'Calls that the service made itself.' }),
    top_sessions: z
      .array(
        z.object({
          session_id: Id.nullable().meta({ description: 'The session; null if it was deleted.' }),
          title: z.string().nullable().meta({ description: 'Its title; null if it was deleted.' }),
          ...spend,
        }),
      )
      .meta({ description: 'The 15 sessions that cost most.' }),
    unpriced_models: z.array(z.string()).meta({ description: 'Models in the window that have no rate.' }),
  })
  .meta({ id: 'Costs' })

export type Costs = z.infer<typeof Costs>

export const recordKinds = ['session', 'adhoc'] as const
type RecordKind = (typeof recordKinds)[number]

/** Anything but `adhoc` means calls of sessions. */
const recordKind = sentAsText<RecordKind>()
  .optional()
  .transform((value): RecordKind => (value === 'adhoc' ? 'adhoc' : 'session'))
  .meta({
    type: 'string',
    enum: recordKinds,
    default: 'session',
    description: 'Calls of sessions, or calls that the service made itself.',
  })

export const RecordsQuery = WindowQuery.extend({
  kind: recordKind,
  session_id: sessionFilter,
  agent_root: exactly('Only sessions of this root. Not for ad hoc calls.'),
  agent_runtime: exactly('Only this runtime. Not for ad hoc calls.'),
  model: exactly('Only this model.'),
  subagent: queryBoolean({ default: undefined }).meta({
    description: 'Only subagents, or only main threads. Not for ad hoc calls.',
  }),
  source: exactly('Only ad hoc calls of this source.'),
})

export type RecordsQuery = z.output<typeof RecordsQuery>

const recordFields = {
  id: Id,
  request_id: z.string().meta({ description: "The model's own id of the call; unique." }),
  model: z.string().meta({ description: 'The model.' }),
  called_at: Timestamp.meta({ description: 'When the call was made.' }),
  ...tokenCounts,
  total_tokens: totalTokens,
  cost_usd: dollars,
  priced: z.boolean().meta({ description: 'Whether the model has a rate.' }),
  service_tier: z.string().nullable().meta({ description: "The model's service tier, if the agent reports one." }),
}

export const SessionRecord = z
  .object({
    ...recordFields,
    session_id: Id.nullable().meta({ description: 'The session; null if it was deleted.' }),
    agent_root: z.string().nullable().meta({ description: 'Its root when the call was made.' }),
    agent_runtime: z.string().meta({ description: 'The runtime that made the call.' }),
    subagent: z.boolean().meta({ description: 'Whether a subagent made it.' }),
  })
  .meta({ id: 'SessionCostRecord' })

export const AdhocRecord = z
  .object({
    ...recordFields,
    source: z.string().meta({ description: 'What the service made the call for.' }),
    subject_session_id: Id.nullable().meta({ description: 'The session it was about; null if that was deleted.' }),
    metadata: z
      .object({
        agent_runtime: z.string().meta({ description: 'The runtime that made the call.' }),
        agent_root: z.string().nullable().meta({ description: 'The root of the session.' }),
      })
      .meta({ description: 'What else is known about the call.' }),
  })
  .meta({ id: 'AdhocCostRecord' })

export type SessionRecord = z.infer<typeof SessionRecord>
export type AdhocRecord = z.infer<typeof AdhocRecord>
