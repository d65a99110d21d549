import { isConflict, isOutage } from './db/outage.ts'
import { Refusal } from './refusal.ts'

const retryAfterSeconds = 2

/** The refusal of a request that wrote nothing because the database could not work, or other requests were in the way. */
export function unavailable(error: unknown): Refusal | undefined {
  const sentence = isOutage(error) ? outage : isConflict(error) ? conflict : undefined
  return sentence === undefined ? undefined : new Refusal('unavailable', [sentence], { retry_after: retryAfterSeconds })
}

const outage = 'The database cannot be reached right now; try again shortly'
/** Each of many attempts was rolled back. */
const conflict = 'Too many other changes are under way; try again shortly'
