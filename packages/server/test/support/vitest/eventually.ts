import { setTimeout as wait } from 'node:timers/promises'

/** Polls until the answer matches. The limit only ends a failing test; no test asserts on its length. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isRight: (answer: T) => boolean,
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  // Backoff: an early result is seen early, and a long wait takes little CPU time from the code under test.
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const answer = await ask()
    if (isRight(answer)) return answer
    if (performance.now() > deadline)
      throw new Error(`no matching answer within ${limitMs} ms; the last answer was ${JSON.stringify(answer)}`)
    await wait(pauseMs)
  }
}
