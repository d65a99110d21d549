import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'

export const streamEvents = defineEndpoint({
  name: 'events.stream',
  auth: 'api_key',
  method: 'GET',
  path: '/events',
  tag: 'Events',
  summary: 'Follow what happens, as server-sent events',
  description:
    'Each event has an id. A reader that reconnects with it in `Last-Event-ID` gets the events it missed, up to three days back. A reader that was away longer first gets `events.missed`. Comments in between are heartbeats.',
  query: z.object({
    session_id: SessionRef.optional().meta({
      type: 'string',
      description: 'Only events of this session: its id or slug.',
    }),
  }),
  answers: { 200: 'event-stream' },
  refusals: ['not_found'],
})

export const endpoints = [streamEvents] as const
