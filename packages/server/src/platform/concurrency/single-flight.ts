import { giveUpOnAbort } from './abortable.ts'

type Start = (run: { signal: AbortSignal; begin: () => void }) => Promise<void>
type Run = { callers: number; outcome: Promise<void>; controller: AbortController }

/**
 * Callers who ask for the same thing before it has begun get one run of it together. Whoever asks later gets the next
 * one: what has begun may already have missed what they want to see.
 */
export function sharedRuns() {
  const upcoming = new Map<string, Run>()

  return async (key: string, signal: AbortSignal | undefined, start: Start): Promise<void> => {
    signal?.throwIfAborted()
    const run = upcoming.get(key) ?? open(key, start)
    run.callers += 1
    try {
      await giveUpOnAbort(run.outcome, signal)
    } catch (error) {
      if (signal?.aborted !== true) throw error
      run.callers -= 1
      if (run.callers === 0) await abandon(key, run, error)
      throw error
    }
  }

  function open(key: string, start: Start): Run {
    const run: Run = { callers: 0, outcome: Promise.resolve(), controller: new AbortController() }
    const close = () => {
      if (upcoming.get(key) === run) upcoming.delete(key)
    }
    upcoming.set(key, run)
    run.outcome = start({ signal: run.controller.signal, begin: close }).finally(close)
    return run
  }

  /** The last caller to leave sees to it that nothing goes on running. */
  async function abandon(key: string, run: Run, reason: unknown): Promise<void> {
    if (upcoming.get(key) === run) upcoming.delete(key)
    run.controller.abort(reason)
    await run.outcome.catch(() => {})
  }
}
