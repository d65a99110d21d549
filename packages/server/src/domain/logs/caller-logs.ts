import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { LogFilters, NewSessionLog, SessionLogChanges } from '@yardmaster/contract/logs/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { Transaction } from '../../platform/db/database.ts'
import type { Paged } from '../../platform/db/select-page.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findSession, lockSession } from '../sessions/session.ts'
import { deleteLog, findLog, findLogPage, type LogLine, noteForCaller, updateLog } from './log.ts'

export async function listLogs(app: App, ref: SessionRef, filters: LogFilters, page: Page): Promise<Paged<LogLine>> {
  const { id } = await findSession(app.db, ref)
  return findLogPage(app.db, id, filters, page)
}

export async function showLog(app: App, ref: SessionRef, id: number): Promise<LogLine> {
  const session = await findSession(app.db, ref)
  return (await findLog(app.db, session.id, id)) ?? refuseMissing()
}

export async function createLog(app: App, ref: SessionRef, { content, level }: NewSessionLog): Promise<LogLine> {
  const redacted = await app.redactor.text(content)
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    return noteForCaller(tx, { session_id: session.id, content: redacted, level })
  })
}

export async function changeLog(
  app: App,
  ref: SessionRef,
  id: number,
  { content, level }: SessionLogChanges,
): Promise<LogLine> {
  const redacted = content === undefined ? undefined : await app.redactor.text(content)
  return transact(app.db, async (tx) => {
    const line = await findCallerLine(tx, ref, id)
    const changes = {
      ...(redacted !== undefined && { content: redacted }),
      ...(level !== undefined && { level }),
    }
    return Object.keys(changes).length === 0 ? line : updateLog(tx, id, changes)
  })
}

export async function removeLog(app: App, ref: SessionRef, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const line = await findCallerLine(tx, ref, id)
    await deleteLog(tx, line.id)
  })
}

/** Lines that the service wrote are read-only, so that callers can rely on them. */
async function findCallerLine(tx: Transaction, ref: SessionRef, id: number): Promise<LogLine> {
  const session = await lockSession(tx, ref)
  const line = (await findLog(tx, session.id, id)) ?? refuseMissing()
  if (line.origin === 'service')
    refuse('log_read_only', 'The line was written by the service and can be neither changed nor deleted')
  return line
}
