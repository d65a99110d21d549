import { Category, CategoryChanges, CategoryOrder, NewCategory } from '@yardmaster/contract/categories/fields'
import { IdParam } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import {
  changeCategory,
  createCategory,
  listCategories,
  removeCategory,
  reorderCategories,
  showCategory,
} from './category.ts'

const tag = 'Categories'
const params = z.object({ id: IdParam })
const OneCategory = z.object({ category: Category })
const AllCategories = z.object({
  categories: z.array(Category).meta({ description: 'Every category in board order.' }),
})

export const endpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/categories',
    tag,
    summary: 'List every category in board order',
    answers: { 200: AllCategories },
    handle: async (_request, app) => ok({ categories: await listCategories(app) }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/categories/{id}',
    tag,
    summary: 'Show a category',
    params,
    answers: { 200: OneCategory },
    refusals: ['not_found'],
    handle: async ({ params }, app) => ok({ category: await showCategory(app, params.id) }),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/categories',
    tag,
    summary: 'Create a category at the end of the board',
    body: NewCategory,
    answers: { 201: OneCategory },
    handle: async ({ body }, app) => created({ category: await createCategory(app, body) }),
  }),
  defineEndpoint({
    method: 'PATCH',
    path: '/categories/{id}',
    tag,
    summary: 'Change a category; only the keys that are sent change',
    params,
    body: CategoryChanges,
    answers: { 200: OneCategory },
    refusals: ['not_found'],
    handle: async ({ params, body }, app) => ok({ category: await changeCategory(app, params.id, body) }),
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/categories/{id}',
    tag,
    summary: 'Delete a category; its sessions become Uncategorized',
    params,
    answers: { 204: 'nothing' },
    refusals: ['not_found'],
    handle: async ({ params }, app) => {
      await removeCategory(app, params.id)
      return noContent()
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/categories/reorder',
    tag,
    summary: 'Put categories in order',
    description:
      'Each listed category gets its index as position; the others keep theirs. `"uncategorized"` places the Uncategorized section.',
    body: CategoryOrder,
    answers: { 200: AllCategories },
    handle: async ({ body }, app) => ok({ categories: await reorderCategories(app, body) }),
  }),
]
