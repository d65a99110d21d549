import { setImmediate as nextTurn } from 'node:timers/promises'

/** Waits for `stirred`, but no longer than `silenceMs`; true if nothing stirred. */
export async function isSilent(stirred: Promise<unknown>, silenceMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, silenceMs, true)
  })
  const isQuiet = await Promise.race([silence, stirred.then(() => false)])
  clearTimeout(timer)
  if (!isQuiet) return false
  // When we ourselves were held up, the timer is due before what lies in the pipe was looked at. One more turn of
  // the event loop looks at it.
  let hasStirred = false
  void stirred.then(() => {
    hasStirred = true
  })
  await nextTurn()
  return !hasStirred
}
