import { setTimeout as wait } from 'node:timers/promises'

/** Asks until the answer is right. The limit is only there so that a broken promise ends: no test is about its length. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isRight: (answer: T) => boolean,
  limitMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + limitMs
  // What comes soon is seen soon; for the rest, whoever asks takes time from those who work.
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const answer = await ask()
    if (isRight(answer)) return answer
    if (performance.now() > deadline)
      throw new Error(`it never came true; the last answer was ${JSON.stringify(answer)}`)
    await wait(pauseMs)
  }
}
