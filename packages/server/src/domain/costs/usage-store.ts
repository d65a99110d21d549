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

/** A call that is on record is not counted again, whoever reads it a second time. */
export async function insertUsage(tx: Transaction, owner: UsageOwner, usages: readonly Usage[]): Promise<void> {
  await tx
    .insertInto('session_usage')
    .values(usages.map((usage) => ({ ...owner, ...usage })))
    .onConflict((conflict) => conflict.column('request_id').doNothing())
    .execute()
}
