import type { Costs, CostsQuery, Pricing } from '@yardmaster/contract/costs/fields'
import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { type DayGroup, pricedVolumes, type Scope, type Span, selectDays, selectTopSessions } from './cost-store.ts'
import { showCoverage } from './coverage.ts'
import { componentOf, costOf, type PriceTable, rounded, type UnitPrices, unitPricesOf } from './price-table.ts'
import { tokensOf } from './usage-store.ts'
import { presentWindow, windowOf } from './window.ts'

const topCount = 15
const topOfDay = 4

/** What the calls of a window cost, by everything that a reader may ask for. */
export async function showCosts(app: App, query: CostsQuery): Promise<Costs> {
  const span = windowOf(query, app.clock.now())
  const { table, pricing } = await app.prices.asOf(query.as_of)
  return app.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => costsAt(tx, query, { span, table, pricing }))
}

type Basis = { span: Span; table: PriceTable; pricing: Pricing }

/** In one snapshot, so that all figures are of the same calls. */
async function costsAt(tx: Transaction, query: CostsQuery, { span, table, pricing }: Basis): Promise<Costs> {
  const scope = await scopeOf(tx, query)
  const groups = await selectDays(tx, span, scope)
  const models = [...new Set(groups.map(({ model }) => model))].toSorted()
  const prices = new Map(
    models.flatMap((model) => {
      const found = unitPricesOf(table, model)
      return found ? [[model, found] as const] : []
    }),
  )
  const top = await selectTopSessions(tx, span, scope, { prices, limit: topCount })
  const priced = groups.map((group) => ({ ...group, cost: costOf(prices.get(group.model), group) }))
  const ofSessions = priced.filter(({ source }) => source === null)
  return {
    window: presentWindow(span),
    scope: {
      kind: scope.kind,
      agent_root: scope.kind === 'agent_root' ? scope.agentRoot : null,
      session_id: scope.kind === 'session' ? scope.sessionId : null,
    },
    pricing,
    ledger_coverage: await showCoverage({ db: tx }),
    totals: totalsOf(priced),
    cost_breakdown: breakdownOf(groups, prices),
    by_day: daysOf(priced),
    by_agent_root: folded(namedBy(ofSessions, 'agent_root')).map(([agent_root, same]) => ({
      agent_root,
      ...spendOf(same),
    })),
    by_model: folded(namedBy(priced, 'model')).map(([model, same]) => ({ model, ...spendOf(same) })),
    by_runtime: namedBy(priced, 'agent_runtime').map(([agent_runtime, same]) => ({ agent_runtime, ...spendOf(same) })),
    by_thread_kind: (['main', 'subagent'] as const).flatMap((kind) => {
      const calls = ofSessions.filter(({ subagent }) => subagent === (kind === 'subagent'))
      return calls.length > 0 ? [{ kind, ...spendOf(calls) }] : []
    }),
    by_adhoc_source: namedBy(priced, 'source').map(([source, same]) => ({ source, ...spendOf(same) })),
    top_sessions: top.map(({ cost, ...session }) => ({ ...session, cost_usd: rounded(cost) })),
    unpriced_models: models.filter((model) => !prices.has(model)),
  }
}

async function scopeOf(tx: Transaction, { session_id: ref, agent_root: agentRoot }: CostsQuery): Promise<Scope> {
  if (ref !== undefined) return { kind: 'session', sessionId: (await findSession(tx, ref)).id }
  return agentRoot === undefined ? { kind: 'fleet' } : { kind: 'agent_root', agentRoot }
}

type Priced = DayGroup & { cost: number }
type Spend = { cost_usd: number; tokens: number; api_calls: number }

function spendOf(groups: readonly Priced[]): Spend {
  return {
    cost_usd: costUsd(groups),
    tokens: sumOf(groups, tokensOf),
    api_calls: sumOf(groups, ({ api_calls }) => api_calls),
  }
}

function costUsd(groups: readonly Priced[]): number {
  return rounded(sumOf(groups, ({ cost }) => cost))
}

/** Session spend and ad hoc spend apart. The sum is that of the two as they are shown. */
function costByKind(groups: readonly Priced[]) {
  const ofSessions = costUsd(groups.filter(({ source }) => source === null))
  const adhoc = costUsd(groups.filter(({ source }) => source !== null))
  return { cost_usd: rounded(ofSessions + adhoc), session_cost_usd: ofSessions, adhoc_cost_usd: adhoc }
}

function totalsOf(groups: readonly Priced[]): Costs['totals'] {
  return {
    input_tokens: sumOf(groups, (group) => group.input_tokens),
    output_tokens: sumOf(groups, (group) => group.output_tokens),
    cache_read_tokens: sumOf(groups, (group) => group.cache_read_tokens),
    cache_creation_tokens: sumOf(groups, (group) => group.cache_creation_tokens),
    cache_creation_5m_tokens: sumOf(groups, (group) => group.cache_creation_5m_tokens),
    cache_creation_1h_tokens: sumOf(groups, (group) => group.cache_creation_1h_tokens),
    web_search_requests: sumOf(groups, (group) => group.web_search_requests),
    web_fetch_requests: sumOf(groups, (group) => group.web_fetch_requests),
    api_calls: sumOf(groups, (group) => group.api_calls),
    total_tokens: sumOf(groups, tokensOf),
    ...costByKind(groups),
  }
}

function breakdownOf(groups: readonly DayGroup[], prices: ReadonlyMap<string, UnitPrices>): Costs['cost_breakdown'] {
  const costs = new Map<Costs['cost_breakdown'][number]['component'], number>()
  for (const group of groups) {
    const unit = prices.get(group.model)
    if (!unit) continue
    for (const volume of pricedVolumes) {
      const component = componentOf[volume]
      costs.set(component, (costs.get(component) ?? 0) + group[volume] * unit[volume])
    }
  }
  const sum = sumOf([...costs.values()], (cost) => cost)
  return [...costs]
    .filter(([, cost]) => cost > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([component, cost]) => ({
      component,
      cost_usd: rounded(cost),
      share: Math.round((cost / sum) * 1e4) / 1e4,
    }))
}

function daysOf(groups: readonly Priced[]): Costs['by_day'] {
  return [...groupedBy(groups, ({ day }) => day)].map(([day, ofDay]) => {
    const ofSessions = ofDay.filter(({ source }) => source === null)
    const { tokens, api_calls } = spendOf(ofDay)
    return {
      day,
      ...costByKind(ofDay),
      tokens,
      api_calls,
      roots: topOf(ofSessions, 'agent_root'),
      models: topOf(ofSessions, 'model'),
    }
  })
}

function topOf(groups: readonly Priced[], key: 'agent_root' | 'model') {
  return namedBy(groups, key)
    .slice(0, topOfDay)
    .map(([name, same]) => ({ name, ...spendOf(same) }))
}

/** Not summed up yet: rounded figures must not be added. */
type Named = readonly [name: string, groups: readonly Priced[]]

/** The most expensive first; without calls that have no name for it. */
function namedBy(groups: readonly Priced[], key: 'agent_root' | 'model' | 'agent_runtime' | 'source'): Named[] {
  return [...groupedBy(groups, (group) => group[key] ?? '')].filter(([name]) => name !== '').toSorted(byCost)
}

function byCost([name, groups]: Named, [otherName, others]: Named): number {
  const [one, other] = [spendOf(groups), spendOf(others)]
  return other.cost_usd - one.cost_usd || other.tokens - one.tokens || (name < otherName ? -1 : 1)
}

/** Beyond the first ones, all the rest is one row. */
function folded(rows: readonly Named[]): Named[] {
  const rest = rows.slice(topCount)
  if (rest.length === 0) return [...rows]
  return [...rows.slice(0, topCount), [`other (${rest.length})`, rest.flatMap(([, groups]) => groups)]]
}

/** In the order of first appearance. */
function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

function sumOf<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
