import { setTimeout as wait } from 'node:timers/promises'

/** A short round judges what happens and not how fast: it may run beside other tests, on a slow machine. */
const patience = process.argv.includes('--short') ? 3 : 1

/** Polls until the answer is accepted. Resolves to the answer and the seconds that it took. */
export async function until(what, ask, isRight, limitMs = 60_000) {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    const seconds = (performance.now() - started) / 1000
    if (isRight(answer)) return { answer, seconds }
    if (seconds * 1000 > limitMs * patience) {
      throw new Error(
        `timed out after ${seconds.toFixed(0)} s: ${what}; last answer: ${JSON.stringify(answer)?.slice(0, 400)}`,
      )
    }
    await wait(50)
  }
}

/** Rejects after the limit. The work goes on until the caller closes its cluster. */
export async function within(limitMs, work) {
  const done = new AbortController()
  const timeout = wait(limitMs * patience, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the round took longer than ${(limitMs * patience) / 1000} s`)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    done.abort()
    timeout.catch(() => undefined)
  }
}
