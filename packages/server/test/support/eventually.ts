import { setTimeout as wait } from 'node:timers/promises'

/** Asks until the answer is right. The limit is only there so that a broken promise ends: no test is about its length. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isRight: (answer: T) => boolean,
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (isRight(answer)) return answer
    if (performance.now() > deadline)
      throw new Error(`it never came true; the last answer was ${JSON.stringify(answer)}`)
    await wait(25)
  }
}
