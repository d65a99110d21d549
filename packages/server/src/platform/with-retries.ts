import { setTimeout as wait } from 'node:timers/promises'

export type Retries = {
  /** One more try after each. */
  delaysMs: readonly number[]
  isWorthIt(error: unknown): boolean
  /** Told before each wait. */
  onRetry?(error: unknown, delayMs: number): Promise<void> | void
  signal?: AbortSignal
}

/** Tries again after growing pauses while there is hope; the last failure is the answer. An abort ends the waiting. */
export async function withRetries<T>(attempt: () => Promise<T>, retries: Retries): Promise<T> {
  const [delayMs, ...later] = retries.delaysMs
  try {
    return await attempt()
  } catch (error) {
    if (delayMs === undefined || retries.signal?.aborted || !retries.isWorthIt(error)) throw error
    await retries.onRetry?.(error, delayMs)
    await wait(delayMs, undefined, { signal: retries.signal })
    return withRetries(attempt, { ...retries, delaysMs: later })
  }
}
