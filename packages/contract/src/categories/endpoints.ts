import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { Category, CategoryChanges, CategoryOrder, NewCategory } from './fields.ts'

const tag = 'Categories'
const params = z.object({ id: IdParam })
const OneCategory = z.object({ category: Category })
const AllCategories = z.object({
  categories: z.array(Category).meta({ description: 'Every category in board order.' }),
})

export const listCategories = defineEndpoint({
  name: 'categories.list',
  auth: 'api_key',
  method: 'GET',
  path: '/categories',
  tag,
  summary: 'List every category in board order',
  answers: { 200: AllCategories },
})

export const showCategory = defineEndpoint({
  name: 'categories.show',
  auth: 'api_key',
  method: 'GET',
  path: '/categories/{id}',
  tag,
  summary: 'Show a category',
  params,
  answers: { 200: OneCategory },
  refusals: ['not_found'],
})

export const createCategory = defineEndpoint({
  name: 'categories.create',
  auth: 'api_key',
  method: 'POST',
  path: '/categories',
  tag,
  summary: 'Create a category at the end of the board',
  body: NewCategory,
  answers: { 201: OneCategory },
})

export const updateCategory = defineEndpoint({
  name: 'categories.update',
  auth: 'api_key',
  method: 'PATCH',
  path: '/categories/{id}',
  tag,
  summary: 'Change a category; only the keys that are sent change',
  params,
  body: CategoryChanges,
  answers: { 200: OneCategory },
  refusals: ['not_found'],
})

export const deleteCategory = defineEndpoint({
  name: 'categories.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/categories/{id}',
  tag,
  summary: 'Delete a category; its sessions become Uncategorized',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const reorderCategories = defineEndpoint({
  name: 'categories.reorder',
  auth: 'api_key',
  method: 'POST',
  path: '/categories/reorder',
  tag,
  summary: 'Put categories in order',
  description:
    'Each listed category gets its index as position; the others keep theirs. `"uncategorized"` places the Uncategorized section.',
  body: CategoryOrder,
  answers: { 200: AllCategories },
})

export const endpoints = [
  listCategories,
  showCategory,
  createCategory,
  updateCategory,
  deleteCategory,
  reorderCategories,
] as const
