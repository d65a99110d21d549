import type { Liveness } from '@yardmaster/contract/backlog/vocabulary'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

export type DueItem = { id: number; issue_url: string; liveness: Liveness }

/** Queued items whose issue is to be asked about, the longest overdue first. */
export function selectDue(db: Database, limit: number): Promise<DueItem[]> {
  return db
    .selectFrom('work_backlog_items')
    .select(['id', 'issue_url', 'liveness'])
    .where('status', '=', 'queued')
    .where('liveness_check_at', '<=', sql<Date>`now()`)
    .orderBy('liveness_check_at')
    .limit(limit)
    .$narrowType<{ issue_url: string }>()
    .execute()
}

/** Asked again after a tenth of the time since the item was queued. Old work is closed less often than new. */
const nextCheck = sql<Date>`
  now() + least(interval '6 hours', greatest(interval '5 minutes', (now() - added_at) / 10))
`

/** True if the issue has another state than before. An address that is not of the forge is not asked about again. */
export async function updateLiveness(
  tx: Transaction,
  { id, liveness: before }: DueItem,
  liveness: Liveness,
): Promise<boolean> {
  await tx
    .updateTable('work_backlog_items')
    .set(
      liveness === 'unknown'
        ? { liveness_check_at: null }
        : { liveness, liveness_checked_at: sql<Date>`now()`, liveness_check_at: nextCheck },
    )
    .where('id', '=', id)
    .execute()
  return liveness !== before
}

export async function postponeCheck(db: Database, id: number, seconds: number): Promise<void> {
  await db
    .updateTable('work_backlog_items')
    .set({ liveness_check_at: sql<Date>`now() + ${seconds} * interval '1 second'` })
    .where('id', '=', id)
    .execute()
}
