import { abortable } from './abortable.ts'

export type Mutex = <T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>

/** A mutex per key, within this process. Callers that wait for one key run in the order in which they called. */
export function keyedMutex(): Mutex {
  const tails = new Map<string, Promise<void>>()

  return async (key, signal, work) => {
    const previous = tails.get(key) ?? Promise.resolve()
    let unlock = () => {}
    const done = new Promise<void>((resolve) => {
      unlock = resolve
    })
    // Both: a caller that aborts keeps its place in the chain, so a later caller still waits for the earlier ones.
    const tail = Promise.all([previous, done]).then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    tails.set(key, tail)
    try {
      await abortable(previous, signal)
      return await work()
    } finally {
      unlock()
    }
  }
}

/** One mutex, for work without a key. Waiting for `mutex(async () => {})` waits for all work before it. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  const mutex = keyedMutex()
  return (work) => mutex('', undefined, work)
}
