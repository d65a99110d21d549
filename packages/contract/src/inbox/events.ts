import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { turnOutcomes, turnSources } from './turn-fields.ts'

/** Messages of a session's queue were added, changed, moved, delivered or removed. */
export const queueChanged = defineEvent({
  name: 'queue.changed',
  payload: z.object({ pending: z.int().meta({ description: 'Messages that wait now.' }) }),
})

/** A host has claimed the turn: it prepares the clone and starts the agent. */
export const turnStarted = defineEvent({
  name: 'turn.started',
  payload: z.object({ turn: z.int().meta({ description: 'Its number.' }), source: z.enum(turnSources) }),
})

export const turnEnded = defineEvent({
  name: 'turn.ended',
  payload: z.object({
    turn: z.int().meta({ description: 'Its number.' }),
    outcome: z.enum(turnOutcomes),
    cost_usd: z.number().meta({ description: 'What its agent has reported of it by then, at list price.' }),
  }),
})
