import { type JSONColumnType, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    host_reports: { host_id: string; report: JSONColumnType<object, string, string>; reported_at: Date }
  }
}

export async function upsertReport(db: Database, hostId: string, report: object): Promise<void> {
  await sql`
    insert into host_reports (host_id, report, reported_at)
    values (${hostId}, ${JSON.stringify(report)}, now())
    on conflict (host_id) do update set report = excluded.report, reported_at = excluded.reported_at
  `.execute(db)
}

export function selectReport(db: Database, hostId: string): Promise<{ report: object } | undefined> {
  return db.selectFrom('host_reports').select('report').where('host_id', '=', hostId).executeTakeFirst()
}

/** A host as the others know it. */
export type HostRow = {
  id: string
  is_alive: boolean
  seen_at: Date | null
  seconds_since_seen: number | null
  report: object | null
  reported_at: Date | null
  seconds_since_report: number | null
  turns: number
}

/** As the rest of the service counts a host: one that is silent for longer has lost its turns. */
const deadAfterSeconds = 20

/** The hosts that were seen within a week. A host that was taken over has no time at all. */
export async function selectHosts(db: Database): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    with known as (
      select id, nullif(seen_at, '-infinity') as seen_at
      from hosts
    ),
    held as (
      select lease_owner, count(*) as turns
      from turns
      where state = 'executing'
      group by lease_owner
    )
    select
      known.id,
      coalesce(known.seen_at > now() - make_interval(secs => ${deadAfterSeconds}), false) as is_alive,
      known.seen_at,
      extract(epoch from now() - known.seen_at)::float8 as seconds_since_seen,
      reports.report,
      reports.reported_at,
      extract(epoch from now() - reports.reported_at)::float8 as seconds_since_report,
      coalesce(held.turns, 0)::int as turns
    from known
    left join host_reports as reports on reports.host_id = known.id
    left join held on held.lease_owner = known.id
    order by known.id
  `.execute(db)
  return rows
}

export function deleteOldReports(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'host_reports', since: 'reported_at' }, slice)
}

export async function findKnownHosts(db: Database): Promise<string[]> {
  return (await db.selectFrom('hosts').select('id').execute()).map(({ id }) => id)
}
