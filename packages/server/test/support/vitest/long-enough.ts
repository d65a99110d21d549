/**
 * Tries work that a timeout ends, each time with a longer timeout, until it got as far as the test needs: on a busy machine
 * a program takes seconds to start. The promise of the test is about the last try.
 */
export async function longEnough<T>(
  work: (timeoutMs: number) => Promise<T>,
  { firstMs, gotFar }: { firstMs: number; gotFar(result: T): boolean | Promise<boolean> },
): Promise<T> {
  for (let timeoutMs = firstMs; ; timeoutMs *= 3) {
    const result = await work(timeoutMs)
    if ((await gotFar(result)) || timeoutMs > limitMs) return result
  }
}

/** It only ends a failing test. */
const limitMs = 30_000
