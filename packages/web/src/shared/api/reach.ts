const askEveryMs = 1_000
const answersWithinMs = 5_000

let isLost = false

/** What the event stream learns: whether the server was lost. */
export function noteLost(next: boolean): void {
  isLost = next
}

/** At once, unless the stream was lost. True if the server was away. */
export async function untilReachable(): Promise<boolean> {
  return isLost && untilServerAnswers()
}

let answer: Promise<boolean> | undefined

/** All that wait ask together. True if the server was away. */
export function untilServerAnswers(): Promise<boolean> {
  answer ??= askServer().finally(() => {
    answer = undefined
  })
  return answer
}

async function askServer(): Promise<boolean> {
  for (let wasAway = false; ; wasAway = true) {
    const options = { cache: 'no-store', redirect: 'manual', signal: AbortSignal.timeout(answersWithinMs) } as const
    const status = await fetch('/up', options).then(
      (response) => response.status,
      () => 503,
    )
    // Also a refusal or a redirect, of a proxy in between that wants a sign-in: the page must not wait for it.
    if (status < 500) return wasAway
    await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  }
}
