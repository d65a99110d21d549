import type { Budget, BudgetChanges, NewBudget } from '@yardmaster/contract/budgets/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession } from '../sessions/session.ts'
import { deleteBudget, insertBudget, lockBudget, selectIds, updateLimit, updateReached } from './budget-store.ts'
import { enforceBudgets } from './enforce.ts'
import { budgetsChanged } from './events.ts'
import { findSpending, presentBudget, type Spending } from './spending.ts'

export async function listBudgets(app: App, page: Page): Promise<{ items: Budget[]; totalCount: number }> {
  const { ids, totalCount } = await selectIds(app.db, page)
  const all = await findSpending(app, app.db, 'all')
  return { items: all.filter(({ budget }) => ids.includes(budget.id)).map(presentBudget), totalCount }
}

export async function showBudget(app: App, id: number): Promise<Budget> {
  return presentBudget(await findOne(app, app.db, id))
}

export async function createBudget(app: App, order: NewBudget): Promise<Budget> {
  const { scope, period, limit_usd = null, limit_tokens = null } = order
  const agent_root = order.agent_root === undefined ? null : knownRoot(app, order.agent_root)
  try {
    const id = await transact(app.db, async (tx) => {
      const session_id = order.session_id === undefined ? null : (await lockSession(tx, order.session_id)).id
      const made = await insertBudget(tx, { scope, agent_root, session_id, period, limit_usd, limit_tokens })
      await app.events.publish(tx, budgetsChanged, { payload: { budget_id: made } })
      return made
    })
    await enforceBudgets(app, { id })
    return showBudget(app, id)
  } catch (error) {
    if (violatedConstraint(error) === 'budgets_key')
      refuse('validation_failed', 'There is a budget of this scope, period and unit already; change its limit')
    throw error
  }
}

/** Its unit stays. A limit above what was spent lets held turns go on, and people are told again when it is reached. */
export async function changeBudget(app: App, id: number, { limit_usd, limit_tokens }: BudgetChanges): Promise<Budget> {
  await transact(app.db, async (tx) => {
    if (!(await lockBudget(tx, id))) refuseMissing()
    const { budget } = await findOne(app, tx, id)
    if ((budget.limit_usd === null) !== (limit_usd === undefined))
      refuse(
        'validation_failed',
        `The budget counts ${budget.limit_usd === null ? 'tokens' : 'dollars'}; make another one`,
      )
    if (limit_usd !== undefined) await updateLimit(tx, id, { limit_usd })
    if (limit_tokens !== undefined) await updateLimit(tx, id, { limit_tokens })
    await forgetReached(tx, await findOne(app, tx, id))
    await app.events.publish(tx, budgetsChanged, { payload: { budget_id: id } })
  })
  await enforceBudgets(app, { id })
  return showBudget(app, id)
}

export async function removeBudget(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    if (!(await deleteBudget(tx, id))) refuseMissing()
    await app.events.publish(tx, budgetsChanged, { payload: { budget_id: id } })
  })
}

async function forgetReached(tx: Transaction, { budget, periodStart, state }: Spending): Promise<void> {
  if (state === 'exhausted') return
  await updateReached(tx, budget.id, { warnedFor: state === 'warned' ? periodStart : null, exhaustedFor: null })
}

async function findOne(app: App, db: Database | Transaction, id: number): Promise<Spending> {
  const [spending] = await findSpending(app, db, { id })
  return spending ?? refuseMissing()
}

function knownRoot(app: App, name: string): string {
  const root = app.catalog.current().roots.find(name)
  return root ? root.name : refuse('invalid_agent_root', `Agent root ${JSON.stringify(name)} is not in the catalog`)
}
