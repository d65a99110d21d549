import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** A person has seen where the session stands. */
export const sessionSeen = defineEvent({ name: 'session.seen', payload: z.object({ transition_id: z.int() }) })
