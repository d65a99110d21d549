import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { NeedsYou, SeenSession, SeenState } from './fields.ts'

export const showNeedsYou = defineEndpoint({
  name: 'needs_you.show',
  auth: 'api_key',
  method: 'GET',
  path: '/needs_you',
  tag: 'Board',
  summary: 'Show everything that waits for a person',
  description:
    'Sessions that ask a question, failed, wait for an authorisation, or came to rest since a person last saw them; held sessions; failed triggers. Sessions off the board are listed only while they ask. Each list is cut after 100 and says how many there are.',
  answers: { 200: NeedsYou },
  isTagged: true,
})

export const markSeen = defineEndpoint({
  name: 'sessions.mark_seen',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/mark_seen',
  tag: 'Board',
  summary: 'Say that a person has seen where a session stands',
  description:
    'It leaves the list until its state changes again, and the notifications about it are marked as read. A session that asks a question stays.',
  params: z.object({ id: SessionRef }),
  body: SeenState,
  answers: { 200: SeenSession },
  refusals: ['not_found'],
})

export const endpoints = [showNeedsYou, markSeen] as const
