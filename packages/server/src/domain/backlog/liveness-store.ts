import type { Liveness } from '@yardmaster/contract/backlog/vocabulary'
import { sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'

export type DueItem = { id: number; issue_url: string; liveness: Liveness; due_at: Date }

/**
 * Queued items whose issue is to be asked about, the longest overdue first. Nothing else asks about them for two minutes, after
 * which a crash has them asked about again.
 */
export async function claimDue(db: Database, limit: number): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    with due as (
      select id, liveness_check_at as due_at
      from work_backlog_items
      where status = 'queued'
        and liveness_check_at <= now()
      order by liveness_check_at
      limit ${limit}
      for update skip locked
    ), claimed as (
      update work_backlog_items as items
      set liveness_check_at = now() + interval '120 seconds', liveness_asked_at = now()
      from due
      where items.id = due.id
      returning items.id, items.issue_url, items.liveness, due.due_at
    )
    select * from claimed order by due_at
  `.execute(db)
  return rows
}

/**
 * Makes claimed items that were not asked about due as before. Those that another transaction holds stay claimed, so that it never waits
 * for them in another order.
 */
export async function releaseClaims(db: Database, items: readonly DueItem[]): Promise<void> {
  if (items.length === 0) return
  const ids = items.map(({ id }) => id)
  await sql`
    update work_backlog_items as items
    set liveness_check_at = claimed.due_at, liveness_asked_at = null
    from unnest(${ids}::bigint[], ${items.map(({ due_at }) => due_at)}::timestamptz[]) as claimed(id, due_at)
    where items.id = claimed.id
      and items.id in (select id from work_backlog_items where id = any(${ids}::bigint[]) for update skip locked)
  `.execute(db)
}

/** Requests take turns, so that each finds the rows of the one before, and not the next ones in the queue. */
export async function lockAsking(tx: Transaction): Promise<void> {
  await takeLock(tx, 'backlogIssues')
}

/**
 * Of the top of the queue, without what was asked about in the last minute. What is overdue keeps its place in line. Skips rows that a pull
 * or a check holds, so that it never waits for them in another order.
 */
export async function updateDue(tx: Transaction, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update work_backlog_items
    set liveness_check_at = least(liveness_check_at, now())
    where id in (
      select id
      from work_backlog_items
      where id in (
          select id
          from work_backlog_items
          where status = 'queued'
            and liveness_check_at is not null
          order by rank_key
          limit ${limit}
        )
        and status = 'queued'
        and coalesce(greatest(liveness_checked_at, liveness_asked_at) <= now() - interval '1 minute', true)
      for update skip locked
    )
  `.execute(tx)
  return Number(numAffectedRows ?? 0)
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
