import type { Cli } from '@yardmaster/contract/clis/fields'
import { type JSONColumnType, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    cli_reports: {
      host_id: string
      tools: JSONColumnType<Record<string, Cli>, string, string>
      checked_at: Date
    }
  }
}

export type Report = { host_id: string; tools: Record<string, Cli>; checked_at: Date }

export async function upsertReport(db: Database, hostId: string, tools: Record<string, Cli>): Promise<void> {
  await sql`
    insert into cli_reports (host_id, tools, checked_at)
    values (${hostId}, ${JSON.stringify(tools)}, now())
    on conflict (host_id) do update set tools = excluded.tools, checked_at = excluded.checked_at
  `.execute(db)
}

/** More than two checks: a report this old is from a host that no longer checks. */
const keptMinutes = 5

/** The report of the given host if there is one, otherwise the latest of any host. */
export function selectReport(db: Database, hostId: string): Promise<Report | undefined> {
  return db
    .selectFrom('cli_reports')
    .selectAll()
    .where('checked_at', '>', sql<Date>`now() - make_interval(mins => ${keptMinutes})`)
    .orderBy(sql`host_id = ${hostId}`, 'desc')
    .orderBy('checked_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Of hosts that are gone: one that lives checks every few minutes. */
export function deleteOldReports(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'cli_reports', since: 'checked_at' }, slice)
}
