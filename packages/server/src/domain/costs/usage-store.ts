import type { Generated } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import type { Usage } from '../../runtimes/runtime.ts'

type UsageColumns = Omit<Usage, 'subagent'> & {
  id: Generated<number>
  session_id: number | null
  agent_root: string | null
  agent_runtime: string
  runtime_session_id: string | null
  subagent: boolean
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_usage: UsageColumns
  }
}

export type UsageOwner = Pick<UsageColumns, 'session_id' | 'agent_root' | 'agent_runtime' | 'runtime_session_id'>

/** Skips calls that are already recorded: a line that is read twice counts once. Returns the tokens of the new calls. */
export async function insertUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<number> {
  const inserted = await tx
    .insertInto('session_usage')
    .values(usages.map((usage) => ({ ...owner, ...usage })))
    .onConflict((conflict) => conflict.column('request_id').doNothing())
    .returning(['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'])
    .execute()
  return inserted.reduce((sum, call) => sum + tokensOf(call), 0)
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
