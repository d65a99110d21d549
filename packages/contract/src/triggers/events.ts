import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { Id } from '../identifiers.ts'

/** A trigger was made, changed, fired, parked as failed or deleted. A reader asks for it again. */
export const triggersChanged = defineEvent({ name: 'triggers.changed', payload: z.object({ trigger_id: Id }) })
