import { IdParam, SessionRef } from '@yardmaster/contract/identifiers'
import {
  EnqueuedMessage,
  EnqueuedMessageChanges,
  MessageFilters,
  MessagePlace,
  NewEnqueuedMessage,
} from '@yardmaster/contract/inbox/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { refuse } from '../../platform/refusal.ts'
import { defineEndpoint, listEndpoint } from '../app.ts'
import type { Message } from './inbox.ts'
import { changeMessage, enqueueMessage, listMessages, removeMessage, reorderMessage, showMessage } from './messages.ts'

const tag = 'Enqueued messages'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneMessage = z.object({ enqueued_message: EnqueuedMessage })
const path = '/sessions/{session_id}/enqueued_messages'

export const endpoints = [
  listEndpoint({
    path,
    tag,
    summary: 'List the messages of a session in the order of delivery',
    key: 'enqueued_messages',
    item: EnqueuedMessage,
    params: ofSession,
    filters: MessageFilters,
    find: async ({ params, filters, page }, app) => {
      const { messages, totalCount } = await listMessages(app, params.session_id, filters, page)
      return { items: messages.map(present), totalCount }
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Show a message',
    params,
    answers: { 200: OneMessage },
    handle: async ({ params }, app) =>
      ok({ enqueued_message: present(await showMessage(app, params.session_id, params.id)) }),
  }),
  defineEndpoint({
    method: 'POST',
    path,
    tag,
    summary: 'Queue a message behind the others',
    description:
      'It is delivered when the turn that is underway and the messages before it are done; to a session at rest, after a moment in which it can be moved or taken back. A failed session keeps it until it is restarted.',
    params: ofSession,
    body: NewEnqueuedMessage,
    answers: { 201: OneMessage },
    refusals: ['missing_parameter', 'cannot_follow_up'],
    handle: async ({ params, body }, app) => {
      const { content, goal, acting_session_id: actingSessionId } = body
      if (!content) return refuse('missing_parameter', 'content is required')
      const message = await enqueueMessage(app, params.session_id, { content, goal, actingSessionId })
      return created({ enqueued_message: present(message) })
    },
  }),
  defineEndpoint({
    method: 'PATCH',
    isPutToo: true,
    path: `${path}/{id}`,
    tag,
    summary: 'Change a message that waits; only the keys that are sent change',
    params,
    body: EnqueuedMessageChanges,
    answers: { 200: OneMessage },
    refusals: ['message_not_pending'],
    handle: async ({ params, body, rawBody }, app) => {
      const { content } = body
      const changes = {
        ...(content !== undefined && { content }),
        ...(Object.hasOwn(rawBody, 'goal') && { goal: body.goal ?? null }),
      }
      return ok({ enqueued_message: present(await changeMessage(app, params.session_id, params.id, changes)) })
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete a message; those behind it move up',
    params,
    answers: { 204: 'nothing' },
    handle: async ({ params }, app) => {
      await removeMessage(app, params.session_id, params.id)
      return noContent()
    },
  }),
  defineEndpoint({
    method: 'PATCH',
    path: `${path}/{id}/reorder`,
    tag,
    summary: 'Move a message to another place in the queue',
    params,
    body: MessagePlace,
    answers: { 200: OneMessage },
    refusals: ['invalid_position', 'message_not_pending'],
    handle: async ({ params, body }, app) => {
      const message = await reorderMessage(app, params.session_id, params.id, readPosition(body.position))
      return ok({ enqueued_message: present(message) })
    },
  }),
]

function readPosition(said: unknown): number {
  return wholeNumber(said) || refuse('invalid_position', 'Position must be >= 1')
}

function present({ created_at, updated_at, ...message }: Message): z.output<typeof EnqueuedMessage> {
  return { ...message, created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
}
