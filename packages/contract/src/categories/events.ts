import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** A category was added, changed, moved or deleted. The payload is empty: a reader lists the categories again. */
export const categoriesChanged = defineEvent({ name: 'categories.changed', payload: z.object({}) })
