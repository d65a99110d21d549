import { type Generated, type Selectable, sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/usage.ts'
import type { Volumes } from './price-table.ts'

type UsageColumns = Omit<Usage, 'subagent'> & {
  id: Generated<number>
  /** Of an ad hoc call: the session it was about. */
  session_id: number | null
  agent_root: string | null
  agent_runtime: string
  runtime_session_id: string | null
  subagent: boolean
  /** What the service made the call for. Null for the calls of a session's agent. */
  source: string | null
  /** The day on which budgets count what was recorded last. Null is the day of the recording. */
  spent_on: string | null
}

/** What the service calls models for. Titles are derived from prompts without a call. */
export type AdhocSource = 'status_summary' | 'quota_probe'

/** The ledger summed by hour. Triggers of `session_usage` maintain it. */
type HourColumns = Volumes & {
  hour: Date
  session_id: number | null
  runtime_session_id: string | null
  agent_root: string | null
  agent_runtime: string
  model: string
  subagent: boolean
  source: string | null
  api_calls: number
  cache_creation_tokens: number
  web_fetch_requests: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_usage: UsageColumns
    usage_hours: HourColumns
    /** Triggers of `session_usage` maintain it. */
    spend_days: SpentVolumes & {
      day: string
      session_id: number | null
      agent_root: string | null
      is_adhoc: boolean
      model: string
    }
  }
}

/** What budgets count. */
export type SpentVolumes = Volumes & { tokens: number }

export type UsageRow = Selectable<UsageColumns>

export type UsageOwner = Pick<UsageColumns, 'session_id' | 'agent_root' | 'agent_runtime' | 'runtime_session_id'> & {
  source?: AdhocSource
  /** The calls were made long before they are recorded: budgets count them on their own days. */
  isHistory?: boolean
}

/** `reports`: also those that completed a call. */
export type NewCalls = { calls: number; tokens: number; reports: number }

/** A later report may raise these, never lower them. */
const volumes = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cache_creation_5m_tokens',
  'cache_creation_1h_tokens',
  'web_search_requests',
  'web_fetch_requests',
] as const satisfies readonly (keyof Usage)[]

export const unknownModel = 'unknown'

/** The models that the session has used. Null: calls whose session is not known. */
export async function selectModels(tx: Transaction, sessionId: number | null): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('spend_days')
    .select('model')
    .distinct()
    .where('session_id', sessionId === null ? 'is' : '=', sessionId)
    .execute()
  return new Set(rows.map(({ model }) => model))
}

/**
 * Counts a call once, however often it is reported. A later report completes what is recorded: it lowers no figure, and it changes
 * no call of another session, because agents write the lines that calls are read from. Each call is given once. Returns what was not
 * recorded before.
 */
export async function upsertUsage(
  tx: Transaction,
  { isHistory = false, ...owner }: UsageOwner,
  usages: readonly Usage[],
): Promise<NewCalls> {
  const known = (column: string) => sql.ref(`known.${column}`)
  const given = (column: string) => sql.ref(`excluded.${column}`)
  const rows = usages.map((usage) => ({
    source: null,
    ...owner,
    ...usage,
    spent_on: isHistory ? usage.called_at.toISOString().slice(0, 10) : null,
  }))
  const columns = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[]
  const raised = volumes.map((column) => sql`${sql.ref(column)} = greatest(${known(column)}, ${given(column)})`)
  const completed = ['session_id', 'agent_root', 'runtime_session_id'].map(
    (column) => sql`${sql.ref(column)} = coalesce(${known(column)}, ${given(column)})`,
  )
  const isMore = [
    ...volumes.map((column) => sql`${given(column)} > ${known(column)}`),
    ...['session_id', 'agent_root', 'runtime_session_id'].map(
      (column) => sql`${known(column)} is null and ${given(column)} is not null`,
    ),
    sql`known.model = ${unknownModel} and excluded.model <> ${unknownModel}`,
  ]
  // A deleted session has left its calls without an id, but with the conversation.
  const result = await sql<TokenCounts & { is_new: boolean }>`
    insert into session_usage as known (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`))}
    on conflict (request_id) do update
    set ${sql.join([...raised, ...completed])},
      spent_on = excluded.spent_on,
      model = case when known.model = ${unknownModel} then excluded.model else known.model end
    where known.source is not distinct from excluded.source
      and (known.session_id = excluded.session_id
        or known.session_id is null
          and (known.runtime_session_id is null or known.runtime_session_id = excluded.runtime_session_id))
      and (${sql.join(isMore, sql` or `)})
    returning input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, xmax = 0 as is_new
  `.execute(tx)
  const added = result.rows.filter(({ is_new }) => is_new)
  return {
    calls: added.length,
    tokens: added.reduce((sum, call) => sum + tokensOf(call), 0),
    reports: result.rows.length,
  }
}

/** One statement may write a row once. */
export function mergedById(usages: readonly Usage[]): Usage[] {
  const merged = new Map<string, Usage>()
  for (const usage of usages) {
    const first = merged.get(usage.request_id)
    if (!first) merged.set(usage.request_id, { ...usage })
    else {
      for (const volume of volumes) first[volume] = Math.max(first[volume], usage[volume])
      if (first.model === unknownModel) first.model = usage.model
    }
  }
  return [...merged.values()]
}

type TokenCounts = Pick<Usage, 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens'>

export function tokensOf({
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_creation_tokens,
}: TokenCounts): number {
  return input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens
}
