import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** An item was queued, moved, started or removed. The payload is empty: a reader lists the items again. */
export const backlogChanged = defineEvent({ name: 'work_backlog.changed', payload: z.object({}) })
