import type { TriggerRow } from '../triggers/trigger.ts'

type BurstState = Pick<
  TriggerRow,
  | 'max_sessions_per_minute'
  | 'burst_window_started_at'
  | 'burst_window_count'
  | 'burst_window_session_ids'
  | 'burst_ends_at'
>

type BurstChanges = Pick<
  TriggerRow,
  'burst_window_started_at' | 'burst_window_count' | 'burst_window_session_ids' | 'burst_ends_at'
>

export type Reservation = {
  /** `notice`: the cap is exceeded and not announced yet. `suppressed`: within an announced burst. */
  verdict: 'free' | 'notice' | 'suppressed'
  changes: BurstChanges | undefined
}

const windowMs = 60_000
const burstMs = 5 * 60_000

/**
 * Counts a fire on the spawn path, under the trigger's lock. A window is the minute after its first fire; the next one
 * starts empty. While a burst lasts every fire is suppressed, and only a minute that is over the cap itself prolongs it.
 */
export function reserve(state: BurstState, now: Date): Reservation {
  const { max_sessions_per_minute: cap, burst_window_started_at: startedAt, burst_ends_at: endsAt } = state
  if (cap === null) return { verdict: 'free', changes: undefined }
  const age = startedAt ? now.getTime() - startedAt.getTime() : Number.POSITIVE_INFINITY
  // A clock that was set back starts a new window as well.
  const isOpen = startedAt !== null && age >= 0 && age < windowMs
  const count = (isOpen ? state.burst_window_count : 0) + 1
  const isOver = count > cap
  const isBursting = endsAt !== null && endsAt > now
  const changes = {
    burst_window_started_at: isOpen ? startedAt : now,
    burst_window_count: count,
    burst_window_session_ids: isOpen ? state.burst_window_session_ids : [],
    burst_ends_at: isOver ? new Date(now.getTime() + burstMs) : isBursting ? endsAt : null,
  }
  if (isBursting) return { verdict: 'suppressed', changes }
  return { verdict: isOver ? 'notice' : 'free', changes }
}
