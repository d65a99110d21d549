import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** An analysis was saved, or an item of a batch changed its state. The payload is empty: a reader asks again. */
export const outcomeAnalysesChanged = defineEvent({ name: 'outcome_analyses.changed', payload: z.object({}) })
