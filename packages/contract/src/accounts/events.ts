import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { Id } from '../identifiers.ts'

/** An account of the runtime, its quota or its pool changed. A reader asks for the accounts again. */
export const accountsChanged = defineEvent({ name: 'accounts.changed', payload: z.object({ runtime: z.string() }) })

/** A person has to sign in again. At most once in twelve hours for an account of which the operator was notified. */
export const accountNeedsReauth = defineEvent({
  name: 'accounts.needs_reauth',
  payload: z.object({ account_id: Id, runtime: z.string(), email: z.string() }),
})

/** A pool that was empty can serve again. */
export const poolRecovered = defineEvent({
  name: 'accounts.pool_recovered',
  payload: z.object({ runtime: z.string() }),
})

/** A login attempt got on. A reader asks for it again. */
export const loginAttemptChanged = defineEvent({
  name: 'login_attempts.changed',
  payload: z.object({ login_attempt_id: Id }),
})
