import { giveUpOnAbort } from './abortable.ts'

/** Runs what is asked for under one key one after the other, in the order of asking. */
export function takingTurns(): <T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T> {
  const lastOf = new Map<string, Promise<void>>()

  return async (key, signal, work) => {
    const previous = lastOf.get(key) ?? Promise.resolve()
    let leave = () => {}
    const done = new Promise<void>((resolve) => {
      leave = resolve
    })
    // Both: whoever gave up waiting still stands between those before and those behind.
    const last = Promise.all([previous, done]).then(() => {
      if (lastOf.get(key) === last) lastOf.delete(key)
    })
    lastOf.set(key, last)
    try {
      await giveUpOnAbort(previous, signal)
      return await work()
    } finally {
      leave()
    }
  }
}
