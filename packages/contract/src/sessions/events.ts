import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { sessionStatuses } from './fields.ts'

export const sessionCreated = defineEvent({ name: 'session.created', payload: z.object({}) })

export const sessionStatusChanged = defineEvent({
  name: 'session.status_changed',
  payload: z.object({
    cause: z.string(),
    from: z.enum(sessionStatuses),
    to: z.enum(sessionStatuses),
    /** Earlier versions published none. */
    transition_id: z.int().optional(),
  }),
})

export const statusSummaryChanged = defineEvent({
  name: 'session.status_summary_changed',
  payload: z.object({ state: z.enum(['pending', 'ready', 'failed']) }),
})

export const sessionDeleted = defineEvent({ name: 'session.deleted', payload: z.object({}) })

/**
 * Something about a session changed besides its status. `fields` are keys of the session as `GET /sessions/{id}` shows it. One
 * event for a request, whatever number of fields it wrote.
 */
export const sessionChanged = defineEvent({
  name: 'session.changed',
  payload: z.object({ fields: z.array(z.string()) }),
})
