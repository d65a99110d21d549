import type { Page } from '@yardmaster/contract/paging'
import type { Session, SessionFilters } from '@yardmaster/contract/session'
import type { App } from '../app.ts'
import { readSettings } from '../settings/settings.ts'
import { presentSession } from './present-session.ts'
import { classesByGenesis } from './scheduling-class.ts'
import { selectSessions } from './session-store.ts'

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
