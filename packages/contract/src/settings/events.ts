import { z } from 'zod'
import { defineEvent } from '../event.ts'

export const settingsChanged = defineEvent({
  name: 'settings.changed',
  payload: z.object({ changed: z.array(z.string()) }),
})
