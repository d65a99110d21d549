import type { Costs, CostsQuery } from '@yardmaster/contract/costs/fields'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { type DayGroup, pricedVolumes, type Scope, selectDays, selectTopSessions } from './cost-store.ts'
import { showCoverage } from './coverage.ts'
import { componentOf, costOf, rounded, type UnitPrices, unitPricesOf } from './price-table.ts'
import { tokensOf } from './usage-store.ts'
import { presentWindow, windowOf } from './window.ts'

const topCount = 15
const topOfDay = 4

/** What the calls of a window cost, by everything that a reader may ask for. */
export async function showCosts(app: App, query: CostsQuery): Promise<Costs> {
  const span = windowOf(query, app.clock.now())
  const scope = await scopeOf(app, query)
  const { table, pricing } = await app.prices.asOf(query.as_of)
  const groups = await selectDays(app.db, span, scope)
  const models = [...new Set(groups.map(({ model }) => model))].toSorted()
  const prices = new Map(
    models.flatMap((model) => {
      const found = unitPricesOf(table, model)
      return found ? [[model, found] as const] : []
    }),
  )
  const top = await selectTopSessions(app.db, span, scope, { prices, limit: topCount })
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
    ledger_coverage: await showCoverage(app),
    totals: totalsOf(priced),
    cost_breakdown: breakdownOf(groups, prices),
    by_day: daysOf(priced),
    by_agent_root: folded(spentBy(ofSessions, 'agent_root')).map(({ name, ...spend }) => ({
      agent_root: name,
      ...spend,
    })),
    by_model: folded(spentBy(priced, 'model')).map(({ name, ...spend }) => ({ model: name, ...spend })),
    by_runtime: spentBy(priced, 'agent_runtime').map(({ name, ...spend }) => ({ agent_runtime: name, ...spend })),
    by_thread_kind: (['main', 'subagent'] as const).flatMap((kind) => {
      const calls = ofSessions.filter(({ subagent }) => subagent === (kind === 'subagent'))
      return calls.length > 0 ? [{ kind, ...spendOf(calls) }] : []
    }),
    by_adhoc_source: spentBy(priced, 'source').map(({ name, ...spend }) => ({ source: name, ...spend })),
    top_sessions: top.map(({ cost, ...session }) => ({ ...session, cost_usd: rounded(cost) })),
    unpriced_models: models.filter((model) => !prices.has(model)),
  }
}

async function scopeOf(app: App, { session_id: ref, agent_root: agentRoot }: CostsQuery): Promise<Scope> {
  if (ref !== undefined) return { kind: 'session', sessionId: (await findSession(app.db, ref)).id }
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

/** Session spend and ad hoc spend apart. */
function costByKind(groups: readonly Priced[]) {
  return {
    cost_usd: costUsd(groups),
    session_cost_usd: costUsd(groups.filter(({ source }) => source === null)),
    adhoc_cost_usd: costUsd(groups.filter(({ source }) => source !== null)),
  }
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
      roots: spentBy(ofSessions, 'agent_root').slice(0, topOfDay),
      models: spentBy(ofSessions, 'model').slice(0, topOfDay),
    }
  })
}

type Named = Spend & { name: string }

/** The most expensive first; without calls that have no name for it. */
function spentBy(groups: readonly Priced[], key: 'agent_root' | 'model' | 'agent_runtime' | 'source'): Named[] {
  return [...groupedBy(groups, (group) => group[key] ?? '')]
    .filter(([name]) => name !== '')
    .map(([name, same]) => ({ name, ...spendOf(same) }))
    .toSorted(byCost)
}

function byCost(one: Named, other: Named): number {
  return other.cost_usd - one.cost_usd || other.tokens - one.tokens || (one.name < other.name ? -1 : 1)
}

/** Beyond the first ones, all the rest is one row. */
function folded(rows: readonly Named[]): Named[] {
  const rest = rows.slice(topCount)
  if (rest.length === 0) return [...rows]
  const other = {
    name: `other (${rest.length})`,
    cost_usd: rounded(sumOf(rest, (row) => row.cost_usd)),
    tokens: sumOf(rest, (row) => row.tokens),
    api_calls: sumOf(rest, (row) => row.api_calls),
  }
  return [...rows.slice(0, topCount), other]
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
