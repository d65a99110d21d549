import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { sentAsText } from '../sent.ts'
import { wholeNumber } from '../whole-number.ts'

export const streamEvents = defineEndpoint({
  name: 'events.stream',
  auth: 'api_key',
  method: 'GET',
  path: '/events',
  tag: 'Events',
  summary: 'Follow what happens, as server-sent events',
  description:
    'Each event has an id. A reader that reconnects with it in `Last-Event-ID` gets the events it missed, up to three days back. A reader that was away longer first gets `events.missed`. Comments in between are heartbeats. `after` continues in the same way for a reader that cannot set the header; if both are sent, the header wins, because a browser that reconnects sends the address it began with.',
  query: z.object({
    session_id: SessionRef.optional().meta({
      type: 'string',
      description: 'Only events of this session: its id or slug.',
    }),
    after: sentAsText<number | string>()
      .optional()
      .transform((value, context) => {
        if (value === undefined || value === '') return undefined
        const id = wholeNumber(value)
        if (id !== undefined) return id
        context.addIssue({ code: 'custom', message: 'must be the id of an event, a whole number of 0 or more' })
        return z.NEVER
      })
      .meta({ type: 'integer', minimum: 0, description: 'Continue after the event with this id.' }),
  }),
  answers: { 200: 'event-stream' },
  refusals: ['not_found'],
})

export const endpoints = [streamEvents] as const
