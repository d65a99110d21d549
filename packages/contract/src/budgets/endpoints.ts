import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { Budget, BudgetChanges, NewBudget } from './fields.ts'

const tag = 'Budgets'
const params = z.object({ id: IdParam })
const OneBudget = z.object({ budget: Budget })

export const listBudgets = defineList({
  name: 'budgets.list',
  auth: 'api_key',
  path: '/budgets',
  tag,
  summary: 'List the budgets and what was spent of them',
  key: 'budgets',
  item: Budget,
})

export const showBudget = defineEndpoint({
  name: 'budgets.show',
  auth: 'api_key',
  method: 'GET',
  path: '/budgets/{id}',
  tag,
  summary: 'Show a budget and what was spent of it',
  params,
  answers: { 200: OneBudget },
  refusals: ['not_found'],
})

export const createBudget = defineEndpoint({
  name: 'budgets.create',
  auth: 'api_key',
  method: 'POST',
  path: '/budgets',
  tag,
  summary: 'Limit what a session, a root or the service may spend',
  description:
    'At 80 % people are notified. At 100 % running turns end, and spot turns are held until the period ends or the limit is raised. What was spent before in the period counts.',
  body: NewBudget,
  answers: { 201: OneBudget },
  refusals: ['not_found', 'invalid_agent_root'],
})

export const updateBudget = defineEndpoint({
  name: 'budgets.update',
  auth: 'api_key',
  method: 'PATCH',
  path: '/budgets/{id}',
  tag,
  summary: 'Change the limit of a budget',
  description: 'Raising it above what was spent lets the turns that it holds go on.',
  params,
  body: BudgetChanges,
  answers: { 200: OneBudget },
  refusals: ['not_found'],
})

export const deleteBudget = defineEndpoint({
  name: 'budgets.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/budgets/{id}',
  tag,
  summary: 'Delete a budget; the turns that it holds go on',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [listBudgets, showBudget, createBudget, updateBudget, deleteBudget] as const
