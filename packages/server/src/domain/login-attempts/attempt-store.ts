import type { AttemptStatus } from '@yardmaster/contract/accounts/fields'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Selectable, sql, type Updateable } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

type AttemptTable = {
  id: Generated<number>
  runtime: string
  status: Generated<AttemptStatus>
  /** The account's name as the person gave it. */
  email: string | null
  verification_url: string | null
  verification_code: string | null
  /** Sealed, and only until the command has it. */
  pasted_code: string | null
  account_id: number | null
  account_email: string | null
  host_id: string | null
  pid: number | null
  run_marker: string | null
  heartbeat_at: Generated<Date>
  expires_at: Date
  error_message: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    login_attempts: AttemptTable
  }
}

export type AttemptRow = Selectable<AttemptTable>

export const openStatuses = ['starting', 'awaiting_user', 'awaiting_code', 'completing'] as const
const minutes = 14
/** A host reports every 15 s. */
const silentSeconds = 90

export async function insertAttempt(
  tx: Transaction,
  { runtime, email }: { runtime: string; email: string | null },
): Promise<AttemptRow> {
  return tx
    .insertInto('login_attempts')
    .values({ runtime, email, expires_at: sql<Date>`now() + make_interval(mins => ${minutes})` })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Of all hosts. Under the lock, so that callers who come at once do not count the same attempts. */
export async function countOpenAttempts(tx: Transaction): Promise<number> {
  await takeLock(tx, 'loginAttempts')
  const { count } = await tx
    .selectFrom('login_attempts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', 'in', [...openStatuses])
    .executeTakeFirstOrThrow()
  return count
}

export function selectAttempt(db: Database | Transaction, id: number): Promise<AttemptRow | undefined> {
  return db.selectFrom('login_attempts').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function selectAttempts(
  db: Database,
  { runtime }: { runtime?: string | undefined },
  page: Page,
): Promise<Paged<AttemptRow>> {
  const query = db
    .selectFrom('login_attempts')
    .$if(runtime !== undefined, (narrow) => narrow.where('runtime', '=', runtime ?? ''))
  return selectPage(query.selectAll().orderBy('id', 'desc'), page)
}

/** Only while the attempt is open: what ended it is not overwritten. Undefined if it is over. */
export async function updateOpenAttempt(
  tx: Transaction,
  id: number,
  changes: Updateable<Tables['login_attempts']>,
  from: readonly AttemptStatus[] = openStatuses,
): Promise<AttemptRow | undefined> {
  return tx
    .updateTable('login_attempts')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .returningAll()
    .executeTakeFirst()
}

export async function beat(db: Database, id: number): Promise<void> {
  await db.updateTable('login_attempts').set({ heartbeat_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

/** Open attempts of a host: its commands may still run after a crash. */
export function selectOpenAttemptsOf(db: Database, hostId: string): Promise<AttemptRow[]> {
  return db
    .selectFrom('login_attempts')
    .selectAll()
    .where('host_id', '=', hostId)
    .where('status', 'in', [...openStatuses])
    .execute()
}

/** Attempts whose host is silent, and those whose time is over. */
export async function selectDeadAttempts(db: Database): Promise<(AttemptRow & { is_expired: boolean })[]> {
  const { rows } = await sql<AttemptRow & { is_expired: boolean }>`
    select *, expires_at < now() as is_expired
    from login_attempts
    where status = any(${[...openStatuses]})
      and (heartbeat_at < now() - make_interval(secs => ${silentSeconds}) or expires_at < now())
  `.execute(db)
  return rows
}

export function deleteOldAttempts(db: Database, slice: Slice): Promise<number> {
  const isClosed = sql<boolean>`old.status in ('succeeded', 'failed', 'canceled', 'expired')`
  return deleteOld(db, { table: 'login_attempts', since: 'created_at', where: isClosed }, slice)
}
