import type { Page } from '@yardmaster/contract/paging'
import { type Insertable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import type { RotationRow, SnapshotRow } from './account-table.ts'

export async function insertSnapshot(tx: Transaction, snapshot: Insertable<Tables['quota_snapshots']>): Promise<void> {
  await tx.insertInto('quota_snapshots').values(snapshot).execute()
}

export async function insertRotation(
  tx: Transaction,
  rotation: Insertable<Tables['account_rotations']>,
): Promise<void> {
  await tx.insertInto('account_rotations').values(rotation).execute()
}

/** The last reading of each account. */
export async function selectLastSnapshots(
  db: Database | Transaction,
  runtime?: string,
): Promise<(SnapshotRow & { account_id: number })[]> {
  const { rows } = await sql<SnapshotRow & { account_id: number }>`
    select last.*
    from accounts
    cross join lateral (
      select * from quota_snapshots where account_id = accounts.id order by id desc limit 1
    ) as last
    where ${runtime === undefined ? sql`true` : sql`accounts.runtime = ${runtime}`}
  `.execute(db)
  return rows
}

export async function selectSnapshots(
  db: Database,
  { runtime, accountId }: { runtime?: string | undefined; accountId?: number | undefined },
  page: Page,
): Promise<Paged<SnapshotRow>> {
  const query = db
    .selectFrom('quota_snapshots')
    .$if(runtime !== undefined, (narrow) => narrow.where('account_runtime', '=', runtime ?? ''))
    .$if(accountId !== undefined, (narrow) => narrow.where('account_id', '=', accountId ?? 0))
  return selectPage(query.selectAll().orderBy('id', 'desc'), page)
}

export async function selectRotations(
  db: Database,
  { runtime }: { runtime?: string | undefined },
  page: Page,
): Promise<Paged<RotationRow>> {
  const query = db
    .selectFrom('account_rotations')
    .$if(runtime !== undefined, (narrow) => narrow.where('runtime', '=', runtime ?? ''))
  return selectPage(query.selectAll().orderBy('id', 'desc'), page)
}

/** The last reading of an account is kept: the windows of an account that rests are still known by it. */
export function deleteOldSnapshots(db: Database, slice: Slice): Promise<number> {
  const isReplaced = sql<boolean>`
    (old.account_id is null or exists (
      select from quota_snapshots as later
      where later.account_id = old.account_id and later.id > old.id
    ))
  `
  return deleteOld(db, { table: 'quota_snapshots', since: 'created_at', where: isReplaced }, slice)
}

export function deleteOldRotations(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'account_rotations', since: 'created_at' }, slice)
}

/** What is needed for minutes only, or for as long as a turn runs. */
export async function deleteOldUses(db: Database, slice: Slice): Promise<number> {
  const isOver = sql<boolean>`not exists (
    select from turns where turns.run_marker = old.run_marker and turns.state = 'executing'
  )`
  const uses = await deleteOld(db, { table: 'account_uses', since: 'started_at', where: isOver }, slice)
  return Math.max(uses, await deleteOld(db, { table: 'account_attempts', since: 'attempted_at' }, slice))
}
