import type { TriggerFire } from '@yardmaster/contract/fires/fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectTrigger } from '../triggers/trigger.ts'
import { selectFires } from './fire-store.ts'
import type { FireRow } from './fire-table.ts'

export async function listFires(
  app: App,
  id: number,
  page: Page,
): Promise<{ items: TriggerFire[]; totalCount: number }> {
  if (!(await selectTrigger(app.db, id))) refuseMissing()
  const { rows, totalCount } = await selectFires(app.db, id, page)
  return { items: rows.map(presentFire), totalCount }
}

function presentFire({ trigger_id: _, ...row }: FireRow): TriggerFire {
  return {
    ...row,
    scheduled_for: row.scheduled_for && formatTimestamp(row.scheduled_for),
    fired_at: formatTimestamp(row.fired_at),
    last_fired_at: formatTimestamp(row.last_fired_at),
  }
}
