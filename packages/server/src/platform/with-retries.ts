import { setTimeout as wait } from 'node:timers/promises'

export type Retries = {
  /** The delay before each retry. Their number is the number of retries. */
  delaysMs: readonly number[]
  isWorthIt(error: unknown): boolean
  /** Called before each wait. */
  onRetry?(error: unknown, delayMs: number): Promise<void> | void
  signal?: AbortSignal
}

/** Retries after each delay while `isWorthIt` says so, and then throws the last error. An abort ends the wait. */
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
