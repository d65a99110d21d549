import type { Database } from '../../platform/db/database.ts'

const inheritedSeconds = 60

/** The seconds within which messages of one conversation are one event, by trigger. */
export async function selectWindows(db: Database, triggerIds: readonly number[]): Promise<Map<number, number>> {
  if (triggerIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('triggers')
    .select(['id', 'coalesce_window_seconds'])
    .where('id', 'in', triggerIds)
    .execute()
  return new Map(rows.map(({ id, coalesce_window_seconds: seconds }) => [id, seconds ?? inheritedSeconds]))
}
