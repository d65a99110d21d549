import type {
  BacklogCounts,
  BacklogFilterValues,
  ItemFilters,
  ItemRef,
  WorkBacklogItem,
} from '@yardmaster/contract/backlog/fields'
import { ranking } from '@yardmaster/contract/backlog/vocabulary'
import { type Page, type Pagination, paginate } from '@yardmaster/contract/paging'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectCounts, selectFilterValues, selectItem, selectItems } from './item-store.ts'
import type { RankedRow } from './item-table.ts'
import { presentItem } from './present.ts'

type Listed = {
  work_backlog_items: WorkBacklogItem[]
  pagination: Pagination
  counts: BacklogCounts
  ranking: { order: string; gap: number; bands: (typeof ranking.bands)[number][] }
  filter_values: BacklogFilterValues
}

export async function listItems(app: App, filters: ItemFilters, page: Page): Promise<Listed> {
  const [{ rows, totalCount }, counts, filterValues] = await Promise.all([
    selectItems(app.db, filters, page),
    selectCounts(app.db),
    selectFilterValues(app.db, filters.status),
  ])
  return {
    work_backlog_items: rows.map(presentItem),
    pagination: paginate(page, totalCount),
    counts,
    ranking: { ...ranking, bands: [...ranking.bands] },
    filter_values: filterValues,
  }
}

export async function showItem(db: Database | Transaction, ref: ItemRef): Promise<WorkBacklogItem> {
  return presentItem(await findItem(db, ref))
}

export async function findItem(db: Database | Transaction, ref: ItemRef): Promise<RankedRow> {
  const row = await selectItem(db, ref)
  return row ?? refuse('not_found', `No work backlog item matches "${'id' in ref ? ref.id : ref.key}"`)
}
