import type { AccountRow } from './account-table.ts'

/** Three strikes at least so far apart, and within this time, condemn. A vendor that is confused for minutes does not. */
const apartMs = 15 * 60_000
const withinMs = 6 * 3600_000
const most = 3

type Strikes = Pick<
  AccountRow,
  'stale_refresh_failures' | 'first_stale_refresh_failure_at' | 'last_stale_refresh_failure_at'
>

/** The strikes after one more refresh that the vendor did not know. */
export function strike(account: Strikes, now: Date): Strikes & { isCondemned: boolean } {
  const { stale_refresh_failures: count, first_stale_refresh_failure_at: first } = account
  const { last_stale_refresh_failure_at: last } = account
  if (first === null || last === null || now.getTime() - first.getTime() > withinMs || isAhead(last, now))
    return { ...struck(1, now, now), isCondemned: false }
  if (now.getTime() - last.getTime() < apartMs) return { ...struck(count, first, last), isCondemned: false }
  return { ...struck(count + 1, first, now), isCondemned: count + 1 >= most }
}

/** A host whose clock was ahead wrote it. */
function isAhead(time: Date, now: Date): boolean {
  return time.getTime() - now.getTime() > apartMs
}

function struck(count: number, first: Date, last: Date): Strikes {
  return {
    stale_refresh_failures: count,
    first_stale_refresh_failure_at: first,
    last_stale_refresh_failure_at: last,
  }
}

export const noStrikes: Strikes = {
  stale_refresh_failures: 0,
  first_stale_refresh_failure_at: null,
  last_stale_refresh_failure_at: null,
}

/** When the next strike can count. */
export function nextStrikeAt(now: Date): Date {
  return new Date(now.getTime() + apartMs)
}

const pausesMinutes = [2, 4, 8]

/** When a refresh is tried again that the vendor did not answer, by how often that happened in a row. */
export function retryAt(failures: number, now: Date): Date {
  const minutes = pausesMinutes[Math.min(failures, pausesMinutes.length) - 1] ?? 2
  return new Date(now.getTime() + minutes * 60_000)
}

const firstDeadPauseMinutes = 15
export const maxPauseMinutes = 6 * 60

/** When an account that needs a sign-in is tried again: a vendor that refuses good logins for an hour is not the end of them. */
export function deadRetryAt(failures: number, now: Date): Date {
  const minutes = Math.min(firstDeadPauseMinutes * 2 ** failures, maxPauseMinutes)
  return new Date(now.getTime() + minutes * 60_000)
}
