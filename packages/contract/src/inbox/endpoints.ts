import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import { EnqueuedMessage, EnqueuedMessageChanges, MessageFilters, MessagePlace, NewEnqueuedMessage } from './fields.ts'
import { Turn } from './turn-fields.ts'

const tag = 'Enqueued messages'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneMessage = z.object({ enqueued_message: EnqueuedMessage })
const path = '/sessions/{session_id}/enqueued_messages'

export const listTurns = defineList({
  name: 'turns.list',
  auth: 'api_key',
  path: '/sessions/{session_id}/turns',
  tag: 'Sessions',
  summary: 'List the turns of a session, latest first',
  description: 'Turns that ended long ago are not kept, so the numbers may have gaps.',
  key: 'turns',
  item: Turn,
  params: ofSession,
})

export const listMessages = defineList({
  name: 'enqueued_messages.list',
  auth: 'api_key',
  path,
  tag,
  summary: 'List the messages of a session in the order of delivery',
  key: 'enqueued_messages',
  item: EnqueuedMessage,
  params: ofSession,
  filters: MessageFilters,
})

export const showMessage = defineEndpoint({
  name: 'enqueued_messages.show',
  auth: 'api_key',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Show a message',
  params,
  answers: { 200: OneMessage },
})

export const createMessage = defineEndpoint({
  name: 'enqueued_messages.create',
  auth: 'api_key',
  method: 'POST',
  path,
  tag,
  summary: 'Queue a message behind the others',
  description:
    'It is delivered after the turn that is underway and the messages before it. A resting session gets it after a short delay in which it can be moved or deleted. A failed session keeps it until it is restarted.',
  params: ofSession,
  body: NewEnqueuedMessage,
  answers: { 201: OneMessage },
  refusals: ['missing_parameter', 'cannot_follow_up'],
})

export const updateMessage = defineEndpoint({
  name: 'enqueued_messages.update',
  auth: 'api_key',
  method: 'PATCH',
  isPutToo: true,
  path: `${path}/{id}`,
  tag,
  summary: 'Change a message that waits; only the keys that are sent change',
  params,
  body: EnqueuedMessageChanges,
  answers: { 200: OneMessage },
  refusals: ['message_not_pending'],
})

export const deleteMessage = defineEndpoint({
  name: 'enqueued_messages.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a message; those behind it move up',
  params,
  answers: { 204: 'nothing' },
})

export const reorderMessage = defineEndpoint({
  name: 'enqueued_messages.reorder',
  auth: 'api_key',
  method: 'PATCH',
  path: `${path}/{id}/reorder`,
  tag,
  summary: 'Move a message to another place in the queue',
  params,
  body: MessagePlace,
  answers: { 200: OneMessage },
  refusals: ['invalid_position', 'message_not_pending'],
})

export const endpoints = [
  listTurns,
  listMessages,
  showMessage,
  createMessage,
  updateMessage,
  deleteMessage,
  reorderMessage,
] as const
