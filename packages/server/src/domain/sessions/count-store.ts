import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Changes to the number of sessions of a kind. Only database triggers write it. */
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

/** With fewer rows, summing them costs less than compacting them. */
const compactionThreshold = 500

/**
 * Compacts the changes into one row a kind. Readers see the same sum before and after. Concurrent compactions are safe: a
 * row is deleted and summed by one of them only.
 */
export async function sumUpCounts(db: Database): Promise<void> {
  await sql`
    with threshold as (
      select count(*) > ${compactionThreshold} as is_exceeded from session_counts
    ),
    compacted as (
      delete from session_counts where (select is_exceeded from threshold) returning *
    )
    insert into session_counts (status, agent_runtime, genesis, scheduling_class, visibility, change)
    select status, agent_runtime, genesis, scheduling_class, visibility, sum(change)
    from compacted
    group by status, agent_runtime, genesis, scheduling_class, visibility
    having sum(change) <> 0
  `.execute(db)
}
