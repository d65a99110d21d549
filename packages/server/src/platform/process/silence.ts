import { setImmediate as nextIteration } from 'node:timers/promises'

/** Waits for `activity`, at most `silenceMs`. True if there was none. */
export async function isSilent(activity: Promise<unknown>, silenceMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, silenceMs, true)
  })
  const isQuiet = await Promise.race([silence, activity.then(() => false)])
  clearTimeout(timer)
  if (!isQuiet) return false
  // If our own event loop was blocked, the timer fires before the pipe is polled. One more iteration polls it.
  let wasActive = false
  void activity.then(() => {
    wasActive = true
  })
  await nextIteration()
  return !wasActive
}
