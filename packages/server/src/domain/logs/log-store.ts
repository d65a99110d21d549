import type { LogFilters, LogLevel } from '@yardmaster/contract/logs/fields'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Selectable, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

type LogTable = {
  id: Generated<number>
  session_id: number
  level: LogLevel
  content: string
  origin: 'service' | 'caller'
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_logs: LogTable
  }
}

export type LogLine = Selectable<LogTable>
export type NewLogLine = Pick<LogLine, 'session_id' | 'level' | 'content' | 'origin'>

export function insertLog(tx: Transaction, row: NewLogLine): Promise<LogLine> {
  return tx.insertInto('session_logs').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Newest first, by id. */
export function findLogPage(
  db: Database,
  sessionId: number,
  { level }: LogFilters,
  page: Page,
): Promise<Paged<LogLine>> {
  // Compared as text, so that an unknown level matches nothing.
  const matching = db
    .selectFrom('session_logs')
    .where('session_id', '=', sessionId)
    .$if(level !== undefined && level !== '', (query) => query.where(sql`level`, '=', level))
  return selectPage(matching.selectAll().orderBy('id', 'desc'), page)
}

export function findLog(db: Database | Transaction, sessionId: number, id: number): Promise<LogLine | undefined> {
  return db
    .selectFrom('session_logs')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function updateLog(
  tx: Transaction,
  id: number,
  changes: Partial<Pick<LogLine, 'level' | 'content'>>,
): Promise<LogLine> {
  return tx
    .updateTable('session_logs')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteLog(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('session_logs').where('id', '=', id).execute()
}

/** Lines of every level, or only verbose ones. */
export function deleteOldLogs(db: Database, slice: Slice, { isOnlyVerbose = false } = {}): Promise<number> {
  const old = { table: 'session_logs', since: 'created_at' } as const
  return deleteOld(db, isOnlyVerbose ? { ...old, where: sql<SqlBool>`old.level = 'verbose'` } : old, slice)
}
