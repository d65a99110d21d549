import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** The stream cannot replay what the reader missed. It should read again what it shows, and continue from here. */
export const eventsMissed = defineEvent({
  name: 'events.missed',
  payload: z.object({
    after: z.int().meta({ description: 'The position that the reader asked to continue after.' }),
    through: z.int().meta({ description: 'Events up to this position are no longer kept.' }),
  }),
})
