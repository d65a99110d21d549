import type { budgetPeriods, budgetScopes } from '@yardmaster/contract/budgets/fields'
import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { SpentVolumes } from '../costs/cost.ts'
import { findLiveSessions } from '../inbox/inbox.ts'
import { metadataText } from '../sessions/session.ts'

type BudgetTable = {
  id: Generated<number>
  scope: (typeof budgetScopes)[number]
  agent_root: string | null
  session_id: number | null
  period: (typeof budgetPeriods)[number]
  limit_usd: number | null
  limit_tokens: number | null
  warned_for: Date | null
  exhausted_for: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    budgets: BudgetTable
  }
}

export type BudgetRow = Selectable<BudgetTable>

/** A budget, with what one model used of it in the current period; no model if nothing was used. */
export type SpendRow = BudgetRow & { period_start: Date; period_end: Date; model: string | null } & SpentVolumes

/** Which budgets: one, all, or those that limit these sessions. */
export type Which = { id: number } | 'all' | { sessionIds: readonly number[]; agentRoots: readonly string[] }

/**
 * Periods are those of the database's clock, which all hosts share, and in UTC whatever zone the database has. There is no upper
 * bound: what was recorded while that clock was ahead still counts.
 */
export async function selectSpending(db: Database | Transaction, which: Which): Promise<SpendRow[]> {
  const { rows } = await sql<SpendRow>`
    select budgets.*, begun.period_start, spent.*,
      ((begun.period_start at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' as period_end
    from budgets
    cross join lateral (select date_trunc(period, now(), 'UTC') as period_start) as begun
    cross join lateral (select (begun.period_start at time zone 'UTC')::date as first_day) as since
    left join lateral (
      select model, sum(tokens)::bigint as tokens, sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens, sum(cache_read_tokens)::bigint as cache_read_tokens,
        sum(cache_creation_5m_tokens)::bigint as cache_creation_5m_tokens,
        sum(cache_creation_1h_tokens)::bigint as cache_creation_1h_tokens,
        sum(cache_creation_unsplit_tokens)::bigint as cache_creation_unsplit_tokens,
        sum(web_search_requests)::bigint as web_search_requests
      from (
        select * from spend_days
        where budgets.scope = 'service' and day >= first_day
        union all
        select * from spend_days
        where budgets.scope = 'agent_root' and spend_days.agent_root = budgets.agent_root and not is_adhoc and day >= first_day
        union all
        select * from spend_days
        where budgets.scope = 'session' and spend_days.session_id = budgets.session_id and day >= first_day
      ) as days
      group by model
    ) as spent on true
    where ${isChosen(which)}
    order by budgets.id
  `.execute(db)
  return rows
}

function isChosen(which: Which) {
  if (which === 'all') return sql`true`
  if ('id' in which) return sql`budgets.id = ${which.id}`
  return sql`(
    budgets.scope = 'service'
    or budgets.agent_root = any(${which.agentRoots}::text[])
    or budgets.session_id = any(${which.sessionIds}::bigint[])
  )`
}

export async function selectIds(
  db: Database,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ ids: number[]; totalCount: number }> {
  const all = await db.selectFrom('budgets').select('id').orderBy('id').execute()
  const ids = all.map(({ id }) => id)
  return { ids: ids.slice((page - 1) * perPage, page * perPage), totalCount: ids.length }
}

/** Holds the row until the transaction ends. False if there is no such budget. */
export async function lockBudget(tx: Transaction, id: number): Promise<boolean> {
  const row = await tx.selectFrom('budgets').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  return row !== undefined
}

export async function insertBudget(
  tx: Transaction,
  values: Omit<Insertable<BudgetTable>, 'warned_for' | 'exhausted_for'>,
): Promise<number> {
  const { id } = await tx.insertInto('budgets').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateLimit(
  tx: Transaction,
  id: number,
  limit: { limit_usd: number } | { limit_tokens: number },
): Promise<void> {
  await tx
    .updateTable('budgets')
    .set({ ...limit, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteBudget(tx: Transaction, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('budgets').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** What people were told in this period. */
export async function updateReached(
  tx: Transaction,
  id: number,
  { warnedFor, exhaustedFor }: { warnedFor: Date | null; exhaustedFor: Date | null },
): Promise<void> {
  await tx
    .updateTable('budgets')
    .set({ warned_for: warnedFor, exhausted_for: exhaustedFor })
    .where('id', '=', id)
    .execute()
}

type Limited = Pick<BudgetRow, 'scope' | 'agent_root' | 'session_id'>

/** The session that made the last call under the budget and still exists. */
export async function selectLastSpender(tx: Transaction, budget: Limited): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select sessions.id
    from session_usage as usage
    join sessions on sessions.id = usage.session_id
    where ${isUnder(budget)}
    order by usage.id desc
    limit 1
  `.execute(tx)
  return rows[0]?.id
}

/** Sessions under the budget with a live turn, except turns that admission let start although the budget was spent. */
export function selectSessionsToEnd(db: Database, budget: Limited): Promise<number[]> {
  return findLiveSessions(
    db,
    sql`${metadataText('over_budget_turn_id')} is distinct from turns.id::text and ${isUnder(budget)}`,
  )
}

function isUnder({ scope, agent_root, session_id }: Limited) {
  if (scope === 'session') return sql`sessions.id = ${session_id}`
  return scope === 'service' ? sql`true` : sql`${metadataText('agent_root_key')} = ${agent_root}`
}
