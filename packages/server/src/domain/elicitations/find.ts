import type { Elicitation, ElicitationFilters } from '@yardmaster/contract/elicitations/fields'
import { SessionRef } from '@yardmaster/contract/identifiers'
import type { Page } from '@yardmaster/contract/paging'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { expire } from './close.ts'
import { type Found, selectById, selectByRequestId, selectPage, selectWaiting } from './elicitation-store.ts'
import type { ElicitationRow } from './elicitation-table.ts'
import { presentElicitation } from './present.ts'
import { closeOverdue } from './sweep.ts'

/** By the request id, else by the numeric id. */
export async function findElicitation(app: App, named: string): Promise<ElicitationRow> {
  const found =
    (await selectByRequestId(app.db, named)) ??
    (/^\d{1,15}$/.test(named) ? await selectById(app.db, Number(named)) : undefined)
  return current(app, found)
}

export async function findByRequestId(app: App, requestId: string): Promise<ElicitationRow> {
  return current(app, await selectByRequestId(app.db, requestId))
}

/** A question past its time expires when it is looked at. */
async function current(app: App, found: Found | undefined): Promise<ElicitationRow> {
  if (!found) return refuseMissing()
  if (!found.is_overdue) return found
  await expire(app, found.id, found.session_id, 'expired')
  return (await selectById(app.db, found.id)) ?? refuseMissing()
}

export async function listElicitations(
  app: App,
  { session_id: named, status }: ElicitationFilters,
  page: Page,
): Promise<{ items: Elicitation[]; totalCount: number }> {
  await closeOverdue(app)
  const session = named === undefined || named === '' ? undefined : SessionRef.parse(named)
  const { rows, totalCount } = await selectPage(app.db, { session, status: status || undefined }, page)
  return {
    items: rows.map((row) => presentElicitation(row.is_overdue ? { ...row, ...expiredByTime } : row)),
    totalCount,
  }
}

/** Those that wait for an answer, oldest first. */
export async function findPendingQuestions(app: App, limit: number): Promise<{ items: Elicitation[]; total: number }> {
  const { rows, totalCount } = await selectWaiting(app.db, limit)
  return { items: rows.map(presentElicitation), total: totalCount }
}

/** As the sweep is about to close it. */
const expiredByTime = { status: 'expired', lost_reason: 'expired' } as const
