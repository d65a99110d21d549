import { setTimeout as wait } from 'node:timers/promises'
import { isConflict, isOutage } from './outage.ts'

const retryDelayMs = 500

/** For writes that must happen eventually: retries for as long as the database is unreachable or others are in the way. */
export async function untilReachable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error) && !isConflict(error)) throw error
      await wait(retryDelayMs)
    }
  }
}
