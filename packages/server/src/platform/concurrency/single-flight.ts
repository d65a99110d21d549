import { abortable } from './abortable.ts'

/** `begin` closes the run to further callers. Call it just before reading what callers want to be current. */
type Start = (run: { signal: AbortSignal; begin: () => void }) => Promise<void>
type Run = { callers: number; outcome: Promise<void>; controller: AbortController }

/**
 * Callers that ask for one key before its run begins share that run. A later caller gets the next run: a run that has
 * begun may already have missed the change the caller wants to see.
 */
export function singleFlight() {
  const upcoming = new Map<string, Run>()

  return async (key: string, signal: AbortSignal | undefined, start: Start): Promise<void> => {
    signal?.throwIfAborted()
    const run = upcoming.get(key) ?? open(key, start)
    run.callers += 1
    try {
      await abortable(run.outcome, signal)
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

  /** When the last caller aborts, the run is aborted and awaited, so no work continues in the background. */
  async function abandon(key: string, run: Run, reason: unknown): Promise<void> {
    if (upcoming.get(key) === run) upcoming.delete(key)
    run.controller.abort(reason)
    await run.outcome.catch(() => {})
  }
}
