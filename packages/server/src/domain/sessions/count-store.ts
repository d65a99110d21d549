import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Changes to the number of sessions of a kind, written by triggers alone. */
    session_counts: {
      status: string
      agent_runtime: string
      genesis: string
      scheduling_class: string | null
      visibility: string
      change: number
    }
  }
}

/** Below this a sum costs less than tidying up. */
const manyChanges = 500

/** One row a kind instead of one a change. Readers see either, and the same sum; two who do it at once do no harm. */
export async function sumUpCounts(db: Database): Promise<void> {
  await sql`
    with many as (
      select count(*) > ${manyChanges} as is_so from session_counts
    ),
    taken as (
      delete from session_counts where (select is_so from many) returning *
    )
    insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
    select status, agent_runtime, genesis, scheduling_class, visibility, sum(change)
    from taken
    group by status, agent_runtime, genesis, scheduling_class, visibility
    having sum(change) <> 0
  `.execute(db)
}
