import { z } from 'zod'
import { defineEvent } from '../../platform/events/event.ts'

export const settingsChanged = defineEvent({
  name: 'settings.changed',
  payload: z.object({ changed: z.array(z.string()) }),
})
