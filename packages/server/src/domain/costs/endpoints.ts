import * as contract from '@yardmaster/contract/costs/endpoints'
import { paginate } from '@yardmaster/contract/paging'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { requestBackfill, showCoverage } from './coverage.ts'
import { listRecords } from './list-records.ts'
import { showCosts } from './show-costs.ts'

export const endpoints = [
  bind(contract.showCosts, async ({ query }, app) => ok(await showCosts(app, query))),
  bind(contract.listCostRecords, async ({ query }, app) => {
    const page = { page: query.page, perPage: query.per_page }
    const { totalCount, ...answer } = await listRecords(app, query, page)
    return ok({ ...answer, pagination: paginate(page, totalCount) })
  }),
  bind(contract.backfillCosts, async (_request, app) =>
    ok({ queued: true as const, run: await requestBackfill(app), ledger_coverage: await showCoverage(app) }),
  ),
]
