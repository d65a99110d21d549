import type { App } from '../app.ts'
import { costOf, type PriceTable, unitPricesOf } from './price-table.ts'
import { type SpentOnModel, selectSpentBySession, selectSpentToday } from './spent-store.ts'

/** What each session has cost so far in dollars, at list price. Sessions without a call are left out. */
export async function findCosts(app: App, sessionIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const costs = new Map<number, number>()
  if (sessionIds.length === 0) return costs
  const rows = await selectSpentBySession(app.db, sessionIds)
  const cost = pricing((await app.prices.asOf()).table)
  for (const row of rows) costs.set(row.session_id, (costs.get(row.session_id) ?? 0) + cost(row))
  return costs
}

/** What the whole service has spent today (UTC) in dollars, at list price. */
export async function findCostOfToday(app: App): Promise<number> {
  const rows = await selectSpentToday(app.db)
  const cost = pricing((await app.prices.asOf()).table)
  return rows.reduce((sum, row) => sum + cost(row), 0)
}

/** Looks a model up once: there may be thousands of rows of a few models. */
function pricing(table: PriceTable): (row: SpentOnModel) => number {
  const known = new Map<string, ReturnType<typeof unitPricesOf>>()
  return (row) => {
    if (!known.has(row.model)) known.set(row.model, unitPricesOf(table, row.model))
    return costOf(known.get(row.model), row)
  }
}
