import { setTimeout as wait } from 'node:timers/promises'

/** Asks until the answer is right; how long it took, in seconds, stands beside it. */
export async function until(what, ask, isRight, limitMs = 60_000) {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    const seconds = (performance.now() - started) / 1000
    if (isRight(answer)) return { answer, seconds }
    if (seconds * 1000 > limitMs) {
      throw new Error(`${what}: not within ${limitMs / 1000} s; last seen: ${JSON.stringify(answer)?.slice(0, 400)}`)
    }
    await wait(50)
  }
}

/** For a round that must end whatever it meets. The work itself is ended by closing the yard it works in. */
export async function within(limitMs, work) {
  const abandon = new AbortController()
  const timeout = wait(limitMs, undefined, { signal: abandon.signal }).then(() => {
    throw new Error(`the round was not over within ${limitMs / 1000} s`)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    abandon.abort()
    timeout.catch(() => undefined)
  }
}
