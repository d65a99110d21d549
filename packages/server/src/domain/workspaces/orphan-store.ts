import { type Generated, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    orphaned_folders: { host_id: string; session_id: number; seen_at: Generated<Date> }
  }
}

type HostFolders = { hostId: string; sessionIds: readonly number[] }

/**
 * Records which of these folders belong to no session, since when, and returns those that have belonged to none for so many
 * days. A folder whose session exists, or that is gone, is forgotten.
 */
export async function recordOrphans(
  db: Database,
  { hostId, sessionIds, days, limit }: HostFolders & { days: number; limit: number },
): Promise<number[]> {
  await sql`
    with gone as (
      select found.session_id
      from unnest(${sessionIds}::bigint[]) as found (session_id)
      where not exists (select from sessions where sessions.id = found.session_id)
    ),
    forgotten as (
      delete from orphaned_folders
      where host_id = ${hostId}
        and session_id not in (select session_id from gone)
    )
    insert into orphaned_folders (host_id, session_id)
    select ${hostId}, session_id
    from gone
    on conflict do nothing
  `.execute(db)
  const { rows } = await sql<{ session_id: number }>`
    select session_id
    from orphaned_folders
    where host_id = ${hostId}
      and seen_at < now() - make_interval(days => ${days})
    order by seen_at
    limit ${limit}
  `.execute(db)
  return rows.map(({ session_id }) => session_id)
}
