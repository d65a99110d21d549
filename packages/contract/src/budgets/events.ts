import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { Id } from '../identifiers.ts'

/** A budget was made, changed or deleted, or reached 80 % or 100 % of its limit. A reader asks for the budgets again. */
export const budgetsChanged = defineEvent({ name: 'budgets.changed', payload: z.object({ budget_id: Id }) })
