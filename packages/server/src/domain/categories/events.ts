import { z } from 'zod'
import { defineEvent } from '../../platform/events/event.ts'

/** Names, order or number of categories changed; whoever shows them reads them again. */
export const categoriesChanged = defineEvent({ name: 'categories.changed', payload: z.object({}) })
