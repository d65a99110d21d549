import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { InvokedTrigger, InvokeRequest, PreviewRequest, TriggerFire, TriggerPreview } from './fields.ts'

const tag = 'Triggers'
const params = z.object({ id: IdParam })

export const invokeTrigger = defineEndpoint({
  name: 'triggers.invoke',
  auth: 'api_key',
  method: 'POST',
  path: '/triggers/{id}/invoke',
  tag,
  summary: 'Fire a trigger now, whatever its status',
  params,
  body: InvokeRequest,
  answers: { 201: InvokedTrigger },
  refusals: ['not_found', 'session_pending', 'no_session_created', 'invalid_agent_root', 'burst_suppressed'],
})

export const listFires = defineList({
  name: 'triggers.fires',
  auth: 'api_key',
  path: '/triggers/{id}/fires',
  tag,
  summary: 'List the latest fires of a trigger and their outcomes, newest first',
  key: 'fires',
  item: TriggerFire,
  params,
  refusals: ['not_found'],
})

export const previewTrigger = defineEndpoint({
  name: 'triggers.preview',
  auth: 'api_key',
  method: 'POST',
  path: '/triggers/preview',
  tag,
  summary: 'Show when a trigger would fire and what its prompt would say',
  description: 'Changes nothing. A condition that would be refused is answered with the reasons.',
  body: PreviewRequest,
  answers: { 200: TriggerPreview },
  refusals: ['not_found'],
})

export const endpoints = [invokeTrigger, listFires, previewTrigger] as const
