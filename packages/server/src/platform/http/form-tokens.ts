import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { refuse } from '../refusal.ts'

/** Proofs that a form was made by this server for someone who knows the operator's password. */
export type FormTokens = {
  for(action: string): string
  /** Refuses a form that this server did not make for the action. */
  check(action: string, given: unknown): void
}

/** The name of the hidden field. */
export const tokenField = 'form_token'

/**
 * The second defence besides the origin of the request: a browser that names no origin still sends the password that it
 * remembers. A token is a digest of the action under the password, so servers that share the password accept each other's
 * forms, a restart invalidates none, and a new password invalidates all.
 */
export function formTokens(password: string | undefined): FormTokens {
  // Without a password no page is shown, and no form may be accepted.
  const key = password ?? randomBytes(32)
  const tokenFor = (action: string) => createHmac('sha256', key).update(`form ${action}`).digest()
  return {
    for: (action) => tokenFor(action).toString('base64url'),
    check: (action, given) => {
      const [expected, presented] = [tokenFor(action), Buffer.from(String(given), 'base64url')]
      const isOurs = presented.length === expected.length && timingSafeEqual(presented, expected)
      if (!isOurs) refuse('foreign_origin', 'This form was not made by this server; load its page and send it again')
    },
  }
}
