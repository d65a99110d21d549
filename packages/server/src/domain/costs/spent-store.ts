import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { pricedVolumes } from './cost-store.ts'
import type { Volumes } from './price-table.ts'

export type SpentOnModel = Volumes & { model: string }

const summedVolumes = sql.join(
  pricedVolumes.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`),
)

/** From the sums by day: a session has one or two rows where the ledger has hundreds. */
export async function selectSpentBySession(
  db: Database,
  sessionIds: readonly number[],
): Promise<(SpentOnModel & { session_id: number })[]> {
  const { rows } = await sql<SpentOnModel & { session_id: number }>`
    select session_id, model, ${summedVolumes}
    from spend_days
    where session_id = any(${sessionIds}::bigint[])
    group by session_id, model
  `.execute(db)
  return rows
}

export async function selectSpentToday(db: Database): Promise<SpentOnModel[]> {
  const { rows } = await sql<SpentOnModel>`
    select model, ${summedVolumes}
    from spend_days
    where day = (now() at time zone 'UTC')::date
    group by model
  `.execute(db)
  return rows
}
