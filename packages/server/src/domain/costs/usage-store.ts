import type { Generated, Selectable } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'
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
}

/** What the service calls models for. Titles are derived from prompts without a call. */
export type AdhocSource = 'status_summary'

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
  }
}

export type UsageRow = Selectable<UsageColumns>

export type UsageOwner = Pick<UsageColumns, 'session_id' | 'agent_root' | 'agent_runtime' | 'runtime_session_id'> & {
  source?: AdhocSource
}

export type NewCalls = { calls: number; tokens: number }

/**
 * Skips calls that are already recorded: a line that is read twice counts once. The first report of a call stays, because an
 * agent can write a later line with the same request id and smaller figures.
 */
export async function insertUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<NewCalls> {
  const inserted = await tx
    .insertInto('session_usage')
    .values(usages.map((usage) => ({ ...owner, ...usage })))
    .onConflict((conflict) => conflict.column('request_id').doNothing())
    .returning(['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'])
    .execute()
  return { calls: inserted.length, tokens: inserted.reduce((sum, call) => sum + tokensOf(call), 0) }
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
