import { z } from 'zod'
import { defineEvent } from '../event.ts'

/** A browser was signed in or out, or its person or rights changed. The payload is empty: a reader lists them again. */
export const signInsChanged = defineEvent({ name: 'sign_ins.changed', payload: z.object({}) })
