import { setTimeout as wait } from 'node:timers/promises'

/** It only ends a failing test; no test asserts on its length. On a busy machine a turn can take a minute. */
const limitMs = 120_000

/** Polls until the answer matches. */
export async function eventually<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
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
