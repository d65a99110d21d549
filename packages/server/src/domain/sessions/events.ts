import { sessionStatuses } from '@yardmaster/contract/sessions/fields'
import { z } from 'zod'
import { defineEvent } from '../../platform/events/event.ts'

export const sessionCreated = defineEvent({ name: 'session.created', payload: z.object({}) })

export const sessionStatusChanged = defineEvent({
  name: 'session.status_changed',
  payload: z.object({ cause: z.string(), from: z.enum(sessionStatuses), to: z.enum(sessionStatuses) }),
})

export const statusSummaryChanged = defineEvent({
  name: 'session.status_summary_changed',
  payload: z.object({ state: z.enum(['pending', 'ready', 'failed']) }),
})

export const sessionDeleted = defineEvent({ name: 'session.deleted', payload: z.object({}) })
