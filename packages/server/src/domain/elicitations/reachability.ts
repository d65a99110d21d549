import type { Clock } from '../../platform/clock.ts'

/** For how long the service has been up without a break, as far as this host has seen. */
export type Reachability = {
  /** Called whenever the database has answered. Returns milliseconds; a pause longer than `outageMs` starts again at zero. */
  measure(outageMs: number): number
}

/** By the wall clock, which also shows that the machine was suspended. A step of it starts again, which is never too early. */
export function openReachability(clock: Clock): Reachability {
  let since = Number.NaN
  let last = Number.NaN
  return {
    measure: (outageMs) => {
      const now = clock.now().getTime()
      const pause = now - last
      if (!(pause >= 0 && pause <= outageMs)) since = now
      last = now
      return now - since
    },
  }
}
