import type { Log } from '../platform/log/log.ts'
import type { Host } from './compose.ts'

/** Below the 20 s that service managers commonly allow. */
const deadlineMs = 18_000

/**
 * One Ctrl-C may deliver SIGINT twice, from the terminal and from npm, which forwards signals. Signals within this
 * window count once.
 */
const duplicateSignalMs = 1000

/**
 * Drains on the first signal, also during start-up, to close what has been opened by then. A second signal, or a drain
 * beyond the deadline, exits at once. The returned signal aborts when stopping begins.
 */
export function stopOnSignals(starting: Promise<Host>, log: Log): AbortSignal {
  const stopping = new AbortController()
  let stoppingSince = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - stoppingSince > duplicateSignalMs) process.exit(1)
      return
    }
    stopping.abort()
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('stopping exceeded its deadline; the next start recovers the rest')
      process.exit(1)
    }, deadlineMs).unref()
    const stop = async (host: Host): Promise<void> => {
      await host.stop()
      log.info('stopped')
      process.exit(0)
    }
    // A failed start has closed what it opened, and `main` reports the error.
    void starting.then(stop, () => undefined)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return stopping.signal
}
