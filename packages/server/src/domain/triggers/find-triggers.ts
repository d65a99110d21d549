import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { RecentSession, Trigger, TriggerFilters } from '@yardmaster/contract/triggers/fields'
import type { z } from 'zod'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { presentTrigger, presentTriggers } from './present.ts'
import { selectSpawned, selectTrigger, selectTriggers, type WithinRoots } from './trigger-store.ts'

export async function listTriggers(
  app: App,
  filters: TriggerFilters & WithinRoots,
  page: Page,
): Promise<{ items: Trigger[]; totalCount: number }> {
  const { rows, totalCount } = await selectTriggers(app.db, filters, page)
  return { items: await presentTriggers(app, app.db, rows), totalCount }
}

const recentSessions = 10

export async function showTrigger(
  app: App,
  id: number,
): Promise<{ trigger: Trigger; recent_sessions: z.infer<typeof RecentSession>[] }> {
  const row = (await selectTrigger(app.db, id)) ?? refuseMissing()
  const sessions = await selectSpawned(app.db, id, recentSessions)
  return {
    trigger: await presentTrigger(app, app.db, row),
    recent_sessions: sessions.map((session) => ({ ...session, created_at: formatTimestamp(session.created_at) })),
  }
}
