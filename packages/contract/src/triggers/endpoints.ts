import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import {
  NewTrigger,
  OneTrigger,
  ShownTrigger,
  Trigger,
  TriggerChanges,
  TriggerFilters,
  TriggerWithWarnings,
} from './fields.ts'

const tag = 'Triggers'
const params = z.object({ id: IdParam })

export const listTriggers = defineList({
  name: 'triggers.list',
  auth: 'api_key',
  path: '/triggers',
  tag,
  summary: 'List triggers, newest first',
  key: 'triggers',
  item: Trigger,
  filters: TriggerFilters,
})

export const showTrigger = defineEndpoint({
  name: 'triggers.show',
  auth: 'api_key',
  method: 'GET',
  path: '/triggers/{id}',
  tag,
  summary: 'Show a trigger and the sessions it spawned',
  params,
  answers: { 200: ShownTrigger },
  refusals: ['not_found'],
})

export const createTrigger = defineEndpoint({
  name: 'triggers.create',
  auth: 'api_key',
  method: 'POST',
  path: '/triggers',
  tag,
  summary: 'Create a trigger',
  description:
    'A trigger that follows up a session and has only one-time conditions is a wake: creating it puts the session to sleep.',
  body: NewTrigger,
  answers: { 201: TriggerWithWarnings },
})

export const updateTrigger = defineEndpoint({
  name: 'triggers.update',
  auth: 'api_key',
  method: 'PATCH',
  isPutToo: true,
  path: '/triggers/{id}',
  tag,
  summary: 'Change a trigger; only the keys that are sent change',
  params,
  body: TriggerChanges,
  answers: { 200: TriggerWithWarnings },
  refusals: ['not_found'],
})

export const deleteTrigger = defineEndpoint({
  name: 'triggers.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/triggers/{id}',
  tag,
  summary: 'Delete a trigger; its sessions stay',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const toggleTrigger = defineEndpoint({
  name: 'triggers.toggle',
  auth: 'api_key',
  method: 'POST',
  path: '/triggers/{id}/toggle',
  tag,
  summary: 'Disable an enabled trigger; enable a disabled or failed one',
  params,
  answers: { 200: OneTrigger },
  refusals: ['not_found'],
})

export const endpoints = [
  listTriggers,
  showTrigger,
  createTrigger,
  updateTrigger,
  deleteTrigger,
  toggleTrigger,
] as const
