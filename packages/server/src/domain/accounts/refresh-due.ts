import type { AccountRow } from './account-table.ts'
import { maxPauseMinutes } from './strikes.ts'

export function expiresWithin(minutes: number, now: Date): (account: AccountRow) => boolean {
  return ({ expires_at: expiry }) => expiry !== null && expiry.getTime() <= now.getTime() + minutes * 60_000
}

/**
 * A refresh failed, and the next attempt is not due yet. Only a person's order asks the vendor sooner. No pause is longer than the
 * longest one: a later time was written by a host whose clock was ahead.
 */
export function waitsForRetry({ retry_refresh_at: retryAt }: AccountRow, now: Date): boolean {
  return retryAt !== null && retryAt > now && retryAt.getTime() - now.getTime() <= believedPauseMinutes * 60_000
}

/** Longer than the longest pause by more than the clocks of hosts differ. */
export const believedPauseMinutes = maxPauseMinutes + 15

/** Whether a refresh may be sent for a token that expires within so many minutes. */
export function isRefreshDue(minutes: number, now: Date): (account: AccountRow) => boolean {
  const isExpiring = expiresWithin(minutes, now)
  return (account) => isExpiring(account) && !waitsForRetry(account, now)
}
