import type { Budget, BudgetState } from '@yardmaster/contract/budgets/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { dollarsOf } from '../costs/cost.ts'
import { type BudgetRow, type SpendRow, selectSpending, type Which } from './budget-store.ts'

/** At this share of the limit people are told. */
const warnedShare = 0.8

/** A budget and what was spent of it in the current period. */
export type Spending = {
  budget: BudgetRow
  periodStart: Date
  periodEnd: Date
  usd: number
  tokens: number
  share: number
  state: BudgetState
}

export async function findSpending(
  { prices }: Pick<App, 'prices'>,
  db: Database | Transaction,
  which: Which,
): Promise<Spending[]> {
  const rows = await selectSpending(db, which)
  if (rows.length === 0) return []
  const { table } = await prices.asOf()
  const byBudget = new Map<number, SpendRow[]>()
  for (const row of rows) {
    const ofBudget = byBudget.get(row.id)
    if (ofBudget) ofBudget.push(row)
    else byBudget.set(row.id, [row])
  }
  return [...byBudget.values()].flatMap((ofBudget) => {
    const [budget] = ofBudget
    if (!budget) return []
    const used = ofBudget.flatMap(({ model, ...volumes }) => (model === null ? [] : [{ model, ...volumes }]))
    const usd = used.reduce((sum, { model, ...volumes }) => sum + dollarsOf(table, model, volumes), 0)
    const tokens = used.reduce((sum, volumes) => sum + volumes.tokens, 0)
    const share = budget.limit_usd === null ? tokens / (budget.limit_tokens ?? 1) : usd / budget.limit_usd
    const { period_start: periodStart, period_end: periodEnd } = budget
    return { budget, periodStart, periodEnd, usd, tokens, share, state: stateOf(share) }
  })
}

function stateOf(share: number): BudgetState {
  if (share >= 1) return 'exhausted'
  return share >= warnedShare ? 'warned' : 'ok'
}

/** "the daily budget of $5.00 for the root web". */
export function nameOf({ scope, agent_root, session_id, period, limit_usd, limit_tokens }: BudgetRow): string {
  const limit = limit_usd === null ? `${limit_tokens?.toLocaleString('en-US')} tokens` : `$${limit_usd.toFixed(2)}`
  const whose = { service: 'the whole service', agent_root: `the root ${agent_root}`, session: `session ${session_id}` }
  return `the ${period === 'day' ? 'daily' : 'monthly'} budget of ${limit} for ${whose[scope]}`
}

/** "$5.03 of it". */
export function spentOf({ budget, usd, tokens }: Spending): string {
  return budget.limit_usd === null ? `${tokens.toLocaleString('en-US')} tokens` : `$${usd.toFixed(2)}`
}

export function presentBudget({ budget, usd, tokens, share, state, periodStart, periodEnd }: Spending): Budget {
  return {
    id: budget.id,
    scope: budget.scope,
    agent_root: budget.agent_root,
    session_id: budget.session_id,
    period: budget.period,
    limit_usd: budget.limit_usd,
    limit_tokens: budget.limit_tokens,
    spent_usd: Math.round(usd * 1e6) / 1e6,
    spent_tokens: tokens,
    spent_share: Math.round(share * 1e4) / 1e4,
    state,
    period_started_at: formatTimestamp(periodStart),
    period_ends_at: formatTimestamp(periodEnd),
    created_at: formatTimestamp(budget.created_at),
    updated_at: formatTimestamp(budget.updated_at),
  }
}
