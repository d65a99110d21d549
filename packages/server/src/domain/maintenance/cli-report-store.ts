import type { Cli } from '@yardmaster/contract/clis/fields'
import type { Database } from '../../platform/db/database.ts'

/** What each host last found out about the agents' programs. The table is another room's; this only reads it. */
export function selectCliReports(
  db: Database,
): Promise<{ host_id: string; tools: Record<string, Cli>; checked_at: Date }[]> {
  return db.selectFrom('cli_reports').select(['host_id', 'tools', 'checked_at']).execute()
}
