import type { Log } from './log/log.ts'

/** Work of this process that outlives the request or job that began it. Its row in the database says that it lives. */
export type Background = {
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void
  /** Tells all of it to wind down, and waits until it has. */
  drain(): Promise<void>
}

export function background(log: Log): Background {
  const windDown = new AbortController()
  const underway = new Set<Promise<void>>()
  return {
    run: (name, work) => {
      // Async, so that work which fails before its first await is a fault of its own too, and not of its caller.
      const begin = async () => work(windDown.signal)
      const done = begin()
        .catch((error: unknown) => log.error({ err: error }, `${name} failed by a fault of ours`))
        .finally(() => underway.delete(done))
      underway.add(done)
    },
    drain: async () => {
      windDown.abort()
      while (underway.size > 0) await Promise.all(underway)
    },
  }
}
