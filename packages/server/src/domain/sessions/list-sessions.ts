import type { Page } from '@yardmaster/contract/paging'
import type { Session, SessionFilters } from '@yardmaster/contract/sessions/fields'
import type { Expression, SqlBool } from 'kysely'
import type { App } from '../app.ts'
import { readSettings } from '../settings/settings.ts'
import { type Candidate, selectCandidates, selectIdsWhere } from './candidate-store.ts'
import { presentSession } from './present.ts'
import { classesByGenesis } from './scheduling-class.ts'
import { selectSessions, selectSessionsById } from './session-store.ts'

export async function listSessions(
  app: App,
  filters: SessionFilters,
  page: Page,
): Promise<{ items: Session[]; totalCount: number }> {
  const classByGenesis = classesByGenesis(await readSettings(app.db))
  const { rows, totalCount } = await selectSessions(app.db, filters, page, classByGenesis)
  const context = { now: app.clock.now(), classByGenesis, catalog: app.catalog.current() }
  return { items: rows.map((row) => presentSession(row, context)), totalCount }
}

/** A page of the sessions that match the filters and a further condition. */
export async function listSessionsWhere(
  app: App,
  condition: Expression<SqlBool>,
  filters: SessionFilters,
  page: Page,
): Promise<{ items: Session[]; totalCount: number }> {
  const classByGenesis = classesByGenesis(await readSettings(app.db))
  const { ids, totalCount } = await selectIdsWhere(app.db, condition, { filters, classByGenesis, page })
  return { items: await showSessions(app, ids), totalCount }
}

/** The sessions that a search scans, newest first. */
export async function findCandidates(
  app: App,
  filters: SessionFilters,
  span: Parameters<typeof selectCandidates>[3],
): Promise<Candidate[]> {
  return selectCandidates(app.db, filters, classesByGenesis(await readSettings(app.db)), span)
}

/** The sessions in the order of the ids. Deleted sessions are left out. */
export async function showSessions(app: App, ids: readonly number[]): Promise<Session[]> {
  if (ids.length === 0) return []
  const [settings, found] = await Promise.all([readSettings(app.db), selectSessionsById(app.db, ids)])
  const classByGenesis = classesByGenesis(settings)
  const rows = new Map(found.map((row) => [row.id, row]))
  const context = { now: app.clock.now(), classByGenesis, catalog: app.catalog.current() }
  return ids.flatMap((id) => {
    const row = rows.get(id)
    return row ? [presentSession(row, context)] : []
  })
}
