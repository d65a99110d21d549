import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import { MessageInterrupt } from '../inbox/fields.ts'
import { SessionWithMessage } from '../lifecycle/fields.ts'
import { DeliveredFollowUp, FollowUp, QueuedFollowUp } from './follow-up.ts'
import { DeliveredParentMessage, ParentMessage, QueuedParentMessage } from './parent-message.ts'

export const followUpSession = defineEndpoint({
  name: 'sessions.follow_up',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/follow_up',
  tag: 'Sessions',
  summary: 'Send a prompt to a session',
  description:
    'To a resting session it is the next turn (200). While a turn is underway it is queued (202), unless `force_immediate` replaces that turn (200). It is never lost and never delivered twice.',
  params: z.object({ id: SessionRef }),
  body: FollowUp,
  answers: { 200: DeliveredFollowUp, 202: QueuedFollowUp },
  refusals: ['missing_parameter', 'cannot_follow_up', 'cannot_interrupt'],
})

export const interruptWithMessage = defineEndpoint({
  name: 'enqueued_messages.interrupt',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{session_id}/enqueued_messages/{id}/interrupt',
  tag: 'Enqueued messages',
  summary: 'Deliver a queued message now, replacing a turn that is underway',
  params: z.object({ session_id: SessionRef, id: IdParam }),
  body: MessageInterrupt,
  answers: { 200: SessionWithMessage },
  refusals: ['message_taken', 'cannot_interrupt'],
})

export const messageParent = defineEndpoint({
  name: 'sessions.message_parent',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/message_parent',
  tag: 'Sessions',
  summary: 'Report to the session that spawned this one',
  description:
    '`id` is the child; the parent is the recorded one. While a turn of the parent is underway the message is queued (202), else it is the next turn of the parent (200). An archived or failed parent answers 409.',
  params: z.object({ id: SessionRef }),
  body: ParentMessage,
  answers: { 200: DeliveredParentMessage, 202: QueuedParentMessage },
  refusals: ['cannot_message_parent', 'parent_unavailable'],
})

export const endpoints = [followUpSession, interruptWithMessage, messageParent] as const
