import * as contract from '@yardmaster/contract/budgets/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { changeBudget, createBudget, listBudgets, removeBudget, showBudget } from './change-budget.ts'

export const endpoints = [
  bindList(contract.listBudgets, ({ page }, app) => listBudgets(app, page)),
  bind(contract.showBudget, async ({ params }, app) => ok({ budget: await showBudget(app, params.id) })),
  bind(contract.createBudget, async ({ body }, app) => created({ budget: await createBudget(app, body) })),
  bind(contract.updateBudget, async ({ params, body }, app) =>
    ok({ budget: await changeBudget(app, params.id, body) }),
  ),
  bind(contract.deleteBudget, async ({ params }, app) => {
    await removeBudget(app, params.id)
    return noContent()
  }),
]
