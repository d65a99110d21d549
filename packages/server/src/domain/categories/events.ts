import { z } from 'zod'
import { defineEvent } from '../../platform/events/event.ts'

/** The categories changed in name, order or number. Clients reload the list. */
export const categoriesChanged = defineEvent({ name: 'categories.changed', payload: z.object({}) })
