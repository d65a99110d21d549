import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { sent } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { text } from '../text.ts'
import { sessionEvents } from '../triggers/conditions.ts'
import { Trigger } from '../triggers/fields.ts'

const tag = 'Triggers'
const params = z.object({ id: SessionRef })

const prompt = text(limits.prompt, {
  wording: 'long',
  from: z.string().refine((value) => value.trim() !== '', { message: "can't be blank" }),
}).meta({ description: 'What the session is told when it wakes.' })

const event = z.enum(sessionEvents)

/** In a body an id may be a number. What can name no session finds none. */
const watched = sent<number | string>(z.unknown()).transform(
  (value): SessionRef => SessionRef.safeParse(typeof value === 'number' ? String(value) : value).data ?? { id: 0 },
)

export const ArmedWake = z.object({
  trigger: Trigger,
  session: Session,
  message: z.string().meta({ description: 'What happened, in words.' }),
})

export const wakeLater = defineEndpoint({
  name: 'sessions.wake_later',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/wake_later',
  tag,
  summary: 'Let a session sleep and wake it at a time',
  params,
  body: z.object({
    wake_at: z.string().meta({
      description: 'Local date and time without an offset, more than 30 s ahead.',
      examples: ['2030-09-02T08:15'],
    }),
    timezone: z
      .string()
      .nullish()
      .meta({ description: 'The zone of the time; UTC if absent.', examples: ['UTC'] }),
    prompt,
  }),
  answers: { 201: ArmedWake },
  refusals: ['not_found', 'cannot_wake'],
})

export const wakeOnEvent = defineEndpoint({
  name: 'sessions.wake_on_event',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/wake_on_event',
  tag,
  summary: 'Let a session sleep and wake it when another session changes its state',
  params,
  body: z.object({
    watched_session_id: watched.meta({
      type: ['integer', 'string'],
      description: 'The session to watch: its numeric id or its slug.',
    }),
    event_name: event.nullish().meta({ description: 'The event to wake on; all of them if none is named.' }),
    event_names: z.array(event).nullish().meta({ description: 'Several events: the first to happen wakes.' }),
    prompt,
  }),
  answers: { 201: ArmedWake },
  refusals: ['not_found', 'cannot_wake'],
})

export const endpoints = [wakeLater, wakeOnEvent] as const
