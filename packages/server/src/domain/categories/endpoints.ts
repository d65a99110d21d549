import * as contract from '@yardmaster/contract/categories/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import {
  changeCategory,
  createCategory,
  listCategories,
  removeCategory,
  reorderCategories,
  showCategory,
} from './category.ts'

export const endpoints = [
  bind(contract.listCategories, async (_request, app) => ok({ categories: await listCategories(app) })),
  bind(contract.showCategory, async ({ params }, app) => ok({ category: await showCategory(app, params.id) })),
  bind(contract.createCategory, async ({ body }, app) => created({ category: await createCategory(app, body) })),
  bind(contract.updateCategory, async ({ params, body }, app) =>
    ok({ category: await changeCategory(app, params.id, body) }),
  ),
  bind(contract.deleteCategory, async ({ params }, app) => {
    await removeCategory(app, params.id)
    return noContent()
  }),
  bind(contract.reorderCategories, async ({ body }, app) => ok({ categories: await reorderCategories(app, body) })),
]
