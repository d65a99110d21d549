import type { AdhocRecord, RecordsQuery, SessionRecord } from '@yardmaster/contract/costs/fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { costOf, rounded, unitPricesOf } from './price-table.ts'
import { type RecordRow, selectRecords } from './record-store.ts'
import { tokensOf } from './usage-store.ts'
import { presentWindow, windowOf } from './window.ts'

/** One page of the ledger, each call with its price. */
export async function listRecords(app: App, query: RecordsQuery, page: Page) {
  const span = windowOf(query, app.clock.now())
  const sessionId = query.session_id && (await findSession(app.db, query.session_id)).id
  const { table, pricing } = await app.prices.asOf(query.as_of)
  const { rows, totalCount } = await selectRecords(app.db, span, { ...query, sessionId }, page)
  const records = rows.map((row): SessionRecord | AdhocRecord => {
    const prices = unitPricesOf(table, row.model)
    return present(row, { cost_usd: rounded(costOf(prices, row)), priced: prices !== undefined })
  })
  return { kind: query.kind, window: presentWindow(span), pricing, records, totalCount }
}

function present(row: RecordRow, price: { cost_usd: number; priced: boolean }): SessionRecord | AdhocRecord {
  const { session_id, agent_root, agent_runtime, subagent, source } = row
  const common = {
    id: row.id,
    request_id: row.request_id,
    model: row.model,
    called_at: formatTimestamp(row.called_at),
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_creation_tokens: row.cache_creation_tokens,
    cache_creation_5m_tokens: row.cache_creation_5m_tokens,
    cache_creation_1h_tokens: row.cache_creation_1h_tokens,
    web_search_requests: row.web_search_requests,
    web_fetch_requests: row.web_fetch_requests,
    total_tokens: tokensOf(row),
    ...price,
    service_tier: row.service_tier,
  }
  return source === null
    ? { ...common, session_id, agent_root, agent_runtime, subagent }
    : { ...common, source, subject_session_id: session_id, metadata: { agent_runtime, agent_root } }
}
