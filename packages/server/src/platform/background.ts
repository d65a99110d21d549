import type { Log } from './log/log.ts'

/** Work in this process that outlives the request or job that started it. A row in the database must show that it runs. */
export type Background = {
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void
  /** Aborts the signal of all work and waits until it ends. */
  drain(): Promise<void>
}

export function background(log: Log): Background {
  const draining = new AbortController()
  const underway = new Set<Promise<void>>()
  return {
    run: (name, work) => {
      // Async, so that an error thrown before the first await is logged here and does not reach the caller.
      const start = async () => work(draining.signal)
      const done = start()
        .catch((error: unknown) => log.error({ err: error }, `background work failed: ${name}`))
        .finally(() => underway.delete(done))
      underway.add(done)
    },
    drain: async () => {
      draining.abort()
      while (underway.size > 0) await Promise.all(underway)
    },
  }
}
