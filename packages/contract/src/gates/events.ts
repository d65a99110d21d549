import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** A gate decided, or a person gave feedback. The payload is empty: a reader lists the decisions again. */
export const gateDecisionsChanged = defineEvent({ name: 'gate_decisions.changed', payload: z.object({}) })
