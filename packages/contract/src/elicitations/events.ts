import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { elicitationStatuses } from './fields.ts'

const about = { elicitation_id: z.int(), request_id: z.string() }

/** A session asks a person. The text of the question is not in the event: a reader asks for it with a key. */
export const elicitationRaised = defineEvent({ name: 'elicitation.raised', payload: z.object(about) })

/** It was answered, or expired. */
export const elicitationResolved = defineEvent({
  name: 'elicitation.resolved',
  payload: z.object({ ...about, status: z.enum(elicitationStatuses).exclude(['pending']) }),
})
